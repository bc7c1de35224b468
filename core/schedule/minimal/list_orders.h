#pragma once

#include <vector>

#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// List scheduling from the start: of the tasks that are ready, the one that leaves the fewest
/// bytes behind runs next.
std::vector<TaskId> forward_list_order(const TaskGraph& graph);

/// List scheduling from the end: of the tasks whose readers all have a place, the one that
/// allocates most takes the last place that is left; what it reads is freed by it when no reader
/// behind it needs it.
std::vector<TaskId> backward_list_order(const TaskGraph& graph);

}  // namespace stashscope
