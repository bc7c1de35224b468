#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// An order of the lowest peak there is, by dynamic programming over downsets (sets of tasks that
/// are closed under what they read): the live bytes between two tasks depend on the set only, so
/// that the sets are searched best first, by the peak on the way to them. A task that frees at
/// least what it allocates, within the peak so far, runs at once: it could only lower what follows.
/// Nothing when the limit does not suffice (a set counts as a move), or when cancelled.
/// @param bound no order is below it
std::optional<std::vector<TaskId>> exact_order(const TaskGraph& graph, std::int64_t bound,
                                               const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
