#pragma once

#include <vector>

#include "core/memory/buffers.h"
#include "core/memory/optimizer.h"
#include "core/schedule/task_graph.h"

namespace stashscope {

/// A step as a task graph. Nodes that only make a view of a tensor are no tasks of their own: who
/// reads a view reads the tensor. What else a view needs (a computed shape), its readers need.
struct StepTasks {
  TaskGraph graph;
  IdVector<TaskId, NodeId> node_of;
  IdVector<NodeId, TaskId> task_of;    ///< invalid: a view
  IdVector<ItemId, ValueId> value_of;  ///< the tensor that the item is
  /// Items that a reader of the value reads; a view has those of its tensor.
  IdRows<ValueId, ItemId> items_of;

  /// The tasks of a node order, views left out.
  std::vector<TaskId> tasks(const std::vector<NodeId>& order) const;
  /// Every node in an order of the tasks, views as soon as what they are made of is there: they
  /// take no memory.
  std::vector<NodeId> nodes(const Topology& topology, const std::vector<TaskId>& order) const;
};

/// Where several inputs of a node could make room for the same output, the first one counts: the
/// task graph may need more than the timeline of an order, never less.
/// @param node_cost by the graph's own nodes, not negative; clones cost what their originals do
StepTasks step_tasks(const Dataflow& dataflow, const BufferRules& rules,
                     const IdVector<ValueId, std::int64_t>& bytes, const UpdateMemory& update,
                     const IdVector<NodeId, std::int64_t>& node_cost);

}  // namespace stashscope
