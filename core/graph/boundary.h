#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The boundary between the forward and the backward part of a training graph.
struct Boundary {
  NodeId yield;  ///< the YieldOp; invalid when the graph has none
  /// Without a YieldOp: the values that a YieldOp would read, i.e. the loss and the other forward
  /// results.
  std::vector<ValueId> outputs;

  bool known() const { return yield.valid() || !outputs.empty(); }

  friend bool operator==(const Boundary&, const Boundary&) = default;
};

/// The last nodes of the forward part: the YieldOp, or the producers of the boundary's outputs. The
/// forward part consists of these nodes and their ancestors.
std::vector<NodeId> forward_ends(const Graph& graph, const Boundary& boundary);

}  // namespace stashscope
