#pragma once

#include <QString>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope::ui {

/// The selection that all views show. Not part of the choices, because it changes no result.
struct Selection {
  NodeId node;                ///< the node whose details are shown; may be invalid
  std::vector<NodeId> nodes;  ///< all marked nodes, `node` included; ascending
  QString title;              ///< names a marked group or plan; empty for a single node
  std::size_t slot = 0;       ///< slot of the memory cursor
  bool at_peak = true;        ///< true until the user moves the cursor away from the peak
  bool by_cursor = false;     ///< the node was selected because it runs in the cursor's slot
};

}  // namespace stashscope::ui
