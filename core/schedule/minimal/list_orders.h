#pragma once

#include <vector>

#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// List scheduling from the start: the ready task that leaves the fewest live bytes runs next.
std::vector<TaskId> forward_list_order(const TaskGraph& graph);

/// List scheduling from the end: among the tasks whose readers are all placed, the task that
/// allocates most takes the last free position. The bytes that a task allocates are its outputs
/// minus the inputs that no later task reads.
std::vector<TaskId> backward_list_order(const TaskGraph& graph);

}  // namespace stashscope
