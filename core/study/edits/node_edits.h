#pragma once

#include <span>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// Nodes of the model that have recompute or compromise plans, by the state of these plans. Each
/// node is in either `on` or `off`, once.
struct PlannedNodes {
  std::vector<NodeId> on;      ///< one plan is carried out
  std::vector<NodeId> off;     ///< no plan is carried out
  std::vector<NodeId> pinned;  ///< the pinned nodes of `off`
};

/// @param nodes of the current dataflow; clones stand for their originals
PlannedNodes planned_nodes(const Study& study, std::span<const NodeId> nodes);

/// The choices with the outputs of nodes recomputed in the backward pass, or no longer. For each
/// node this switches on the occurrence that saves most, of recompute plans before compromises.
/// Nodes without plans stay as they are.
/// @param nodes of the current dataflow; clones stand for their originals
Choices with_nodes_recomputed(const Study& study, Choices choices, std::span<const NodeId> nodes,
                              bool on);

}  // namespace stashscope
