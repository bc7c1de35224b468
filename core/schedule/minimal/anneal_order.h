#pragma once

#include <functional>
#include <vector>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// Told each time a search finds something better.
using BetterSequence = std::function<void(const std::vector<TaskId>& sequence)>;

/// The order of the lowest peak that simulated annealing finds, starting from a valid order in
/// which each task runs once: single tasks move within the room that their neighbours leave them.
/// Several rounds, each from `start`. Ends early at `floor`, below which no order can be.
std::vector<TaskId> anneal_order(const TaskGraph& graph, const std::vector<TaskId>& start,
                                 std::int64_t floor, const SearchLimit& limit,
                                 const Progress& progress, const BetterSequence& on_better = {});

}  // namespace stashscope
