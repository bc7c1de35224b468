#pragma once

#include <vector>

#include "core/memory/step_memory.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// A step as a task graph. Nodes that only make a view of a tensor are not tasks. Instead, a reader
/// of the view reads the tensor and, with `Estimate::above`, also the view's other inputs (such as
/// a computed shape).
struct StepTasks {
  TaskGraph graph;
  IdVector<TaskId, NodeId> node_of;
  IdVector<NodeId, TaskId> task_of;    ///< invalid: a view
  IdVector<ItemId, ValueId> value_of;  ///< the item's tensor; invalid: workspace
  /// The items that a reader of the value reads. For a view, these are the items of the viewed
  /// tensor, and with Estimate::above also the items of the view's other inputs.
  IdRows<ValueId, ItemId> items_of;

  /// The tasks of a node order, without views.
  std::vector<TaskId> tasks(const std::vector<NodeId>& order) const;
  /// All nodes, in the order of their tasks. Views come as early as their inputs allow, because
  /// views take no memory.
  std::vector<NodeId> nodes(const Topology& topology, const std::vector<TaskId>& order) const;
};

/// The direction of error where a task graph cannot match the step's timeline exactly. There are
/// two such cases: several inputs could give their memory to one output, or a view needs a computed
/// shape.
enum class Estimate : std::uint8_t {
  above,  ///< never too few bytes, so a sequence that fits here also fits in the step
  below   ///< never too many bytes, so a lower bound is valid for the step
};

/// Converts a step to a task graph. Workspace becomes an item without readers.
/// @param node_cost costs of the graph's own nodes, not negative; a clone costs as much as its
/// original
StepTasks step_tasks(const Dataflow& dataflow, const StepMemory& memory,
                     const IdVector<NodeId, std::int64_t>& node_cost,
                     Estimate estimate = Estimate::above);

}  // namespace stashscope
