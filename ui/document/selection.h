#pragma once

#include <QString>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope::ui {

/// What the linked views point at together. Not part of the choices: it changes no result.
struct Selection {
  NodeId node;                ///< the one node whose details are shown; may be invalid
  std::vector<NodeId> nodes;  ///< all that are marked, `node` included; ascending
  QString title;              ///< names a marked group or plan; empty for a single node
  std::size_t step = 0;       ///< where the memory cursor stands
  bool at_peak = true;        ///< nobody moved the cursor: it stays at the peak
};

}  // namespace stashscope::ui
