#pragma once

#include <vector>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// A fast heuristic that returns a sequence within the budget, or else the sequence with the lowest
/// peak that it reached. While the peak is above the budget, it frees an item that is live but not
/// read at the peak, and recomputes the item, with the dead inputs of its maker, before its next
/// reader. The item with the lowest cost per byte and idle slot goes first. This is the rule of
/// dynamic tensor rematerialization (Kirisame et al., ICLR 2021), applied with knowledge of all
/// later reads.
/// @param start a valid sequence
/// @param clock ends the search early
std::vector<TaskId> greedy_recompute(const TaskGraph& graph, const std::vector<TaskId>& start,
                                     std::int64_t budget_bytes, const SearchClock& clock);

}  // namespace stashscope
