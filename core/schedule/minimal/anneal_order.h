#pragma once

#include <functional>
#include <vector>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// Called each time a search finds a better sequence.
using BetterSequence = std::function<void(const std::vector<TaskId>& sequence)>;

/// The order with the lowest peak that simulated annealing finds. A move shifts one task between
/// its last producer and its first reader. Runs several rounds, each from `start`. Ends early when
/// the peak reaches `lower_bound`.
/// @param start a valid order in which each task runs once
std::vector<TaskId> anneal_order(const TaskGraph& graph, const std::vector<TaskId>& start,
                                 std::int64_t lower_bound, const SearchLimit& limit,
                                 const Progress& progress, const BetterSequence& on_better = {});

}  // namespace stashscope
