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

/// @param nodes nodes of the current dataflow; a clone stands for its original
PlannedNodes planned_nodes(const Study& study, std::span<const NodeId> nodes);

/// The choices with recompute of the outputs of `nodes` switched on or off. A node is switched on
/// by its occurrence from `best_plans`. This occurrence is of a compromise only if the node has no
/// recompute plan. Nodes without plans stay as they are.
/// @param nodes nodes of the current dataflow; a clone stands for its original
Choices with_nodes_recomputed(const Study& study, Choices choices, std::span<const NodeId> nodes,
                              bool on);

}  // namespace stashscope
