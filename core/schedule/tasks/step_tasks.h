#pragma once

#include <vector>

#include "core/memory/step_memory.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// A step as a task graph. Nodes that only make a view of a tensor are no tasks of their own: who
/// reads a view reads the tensor. What else a view needs (a computed shape), its readers need.
struct StepTasks {
  TaskGraph graph;
  IdVector<TaskId, NodeId> node_of;
  IdVector<NodeId, TaskId> task_of;    ///< invalid: a view
  IdVector<ItemId, ValueId> value_of;  ///< the tensor that the item is; invalid: workspace
  /// Items that a reader of the value reads; a view has those of its tensor.
  IdRows<ValueId, ItemId> items_of;

  /// The tasks of a node order, views left out.
  std::vector<TaskId> tasks(const std::vector<NodeId>& order) const;
  /// Every node in an order of the tasks, views as soon as what they are made of is there: they
  /// take no memory.
  std::vector<NodeId> nodes(const Topology& topology, const std::vector<TaskId>& order) const;
};

/// On which side of a step's timeline its task graph is where it cannot be exact: where several
/// inputs could make room for the same output, and where a view needs a computed shape.
enum class Estimate : std::uint8_t {
  above,  ///< never needs less: what is found in it holds
  below   ///< never needs more: bounds of it hold
};

/// Workspace is an item that nobody reads.
/// @param node_cost by the graph's own nodes, not negative; clones cost what their originals do
StepTasks step_tasks(const Dataflow& dataflow, const StepMemory& memory,
                     const IdVector<NodeId, std::int64_t>& node_cost,
                     Estimate estimate = Estimate::above);

}  // namespace stashscope
