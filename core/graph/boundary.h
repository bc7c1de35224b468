#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Where a training graph turns from forward to backward.
struct Boundary {
  NodeId yield;  ///< the YieldOp; invalid where the graph is written without one
  /// Without a YieldOp: what one would take, the loss and whatever else forward returns.
  std::vector<ValueId> outputs;

  bool known() const { return yield.valid() || !outputs.empty(); }

  friend bool operator==(const Boundary&, const Boundary&) = default;
};

/// The nodes that forward leads to: the YieldOp, or the producers of what forward returns. Forward
/// is what they need.
std::vector<NodeId> forward_ends(const Graph& graph, const Boundary& boundary);

}  // namespace stashscope
