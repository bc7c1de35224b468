#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// An order with the minimum peak, by dynamic programming over downsets (sets of tasks closed under
/// dependencies). Live bytes between two tasks depend only on the set that has run. The search
/// visits the sets by ascending peak, where the peak of a set is the lowest known peak of an order
/// that leads to the set. A task that frees at least as many bytes as it allocates, without
/// exceeding the peak so far, runs immediately, because this never raises a later peak. Returns
/// nullopt if the limit is too small (a set counts as a move) or the search is cancelled.
/// @param bound lower bound on the peak of any order
std::optional<std::vector<TaskId>> exact_order(const TaskGraph& graph, std::int64_t bound,
                                               const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
