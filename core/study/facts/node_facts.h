#pragma once

#include <vector>

#include "core/study/step/study.h"

namespace stashscope {

/// A plan for a node's outputs, and what the choices in force make of it.
struct NodePlanState {
  const NodePlan* plan;
  bool chosen = false;   ///< its cluster is on
  bool applied = false;  ///< nothing leaves it out: no count, no other plan, no kept node
  bool pinned = false;   ///< the node keeps its outputs
};

/// All plans of a node of the model, in the strategies' order.
std::vector<NodePlanState> plans_of_node(const Study& study, NodeId node);

/// Why stashed outputs of a node of the model have no plan.
std::vector<const Obstacle*> obstacles_of_node(const Study& study, NodeId node);

/// A value of the current dataflow as it is stored: a tensor that is put away is narrower than the
/// one it stands for, or takes nothing on the device.
struct StoredValue {
  TensorType type;
  std::int64_t bytes = 0;
};
StoredValue stored_value(const Study& study, ValueId value);

/// The node that made the memory in which the first output of `node` lives, by a view or in place:
/// `node` itself where it is new, an invalid one where it was there before the step or never is.
NodeId maker_of_memory(const Study& study, NodeId node);

}  // namespace stashscope
