#pragma once

#include <vector>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// A sequence within the budget, or as near to it as this gets, made quickly: while the peak is
/// above the budget, what lives through the peak without being read there is let go, the cheapest
/// for its bytes and the time it is not needed first, and made again in front of its next reader,
/// with what that takes. (The rule is that of dynamic tensor rematerialization, Kirisame et al.,
/// ICLR 2021, with the future known.)
/// @param start a valid sequence
/// @param clock ends it early
std::vector<TaskId> greedy_recompute(const TaskGraph& graph, const std::vector<TaskId>& start,
                                     std::int64_t budget_bytes, const SearchClock& clock);

}  // namespace stashscope
