#pragma once

#include <span>
#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// Some nodes of the model by what the choices make of their recompute plans, compromises included.
/// Each node once.
struct PlannedNodes {
  std::vector<NodeId> on;      ///< a plan is carried out
  std::vector<NodeId> off;     ///< there are plans, none is carried out
  std::vector<NodeId> pinned;  ///< of the latter, those that are pinned
};

/// @param nodes of the current dataflow; clones stand for their originals
PlannedNodes planned_nodes(const Study& study, std::span<const NodeId> nodes);

/// The choices with the outputs of nodes made again in backward, or no longer; of each node the
/// occurrence that saves most is switched on. Nodes without plans stay as they are.
/// @param nodes of the current dataflow; clones stand for their originals
Choices with_nodes_recomputed(const Study& study, Choices choices, std::span<const NodeId> nodes,
                              bool on);

}  // namespace stashscope
