#pragma once

#include <QString>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope::ui {

/// The selection that all views show. Not part of the choices, because it changes no result.
struct Selection {
  NodeId node;                ///< the node whose details are shown; may be invalid
  std::vector<NodeId> nodes;  ///< all marked nodes, `node` included; ascending
  QString title;              ///< names a marked group, plan or tensor; empty for a single node
  /// A tensor that no node makes, such as a weight, whose details are shown; may be invalid.
  /// `nodes` are its readers, and `node` is invalid.
  ValueId tensor = ValueId();
  std::size_t slot = 0;    ///< slot of the memory cursor
  bool at_peak = true;     ///< true until the user moves the cursor away from the peak
  bool by_cursor = false;  ///< the node was selected because it runs in the cursor's slot

  /// The node to show in the graph: the selected node, or the first reader of the selected tensor.
  /// Invalid for other selections.
  NodeId place() const { return tensor.valid() && !nodes.empty() ? nodes.front() : node; }
};

}  // namespace stashscope::ui
