#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// What no sequence at all can be below, and the moment that makes it so.
struct PeakLowerBound {
  std::int64_t bytes = 0;
  TaskId task;                ///< that runs then; invalid in a graph without tasks
  std::vector<ItemId> items;  ///< all there then, besides what is persistent
};

/// To run a task, all it reads must be there; when the last one of these was made, the others were
/// there already, beside what that maker read. While a task runs for the first time, items of
/// makers that run once are there besides, if tasks behind it read them or they are kept: the
/// fewest of them over all sets of tasks that may have run are a minimum cut.
/// @param order a valid one; tells which tasks to look at first
/// @param limit of the cuts; one counts as a move for each task and item
PeakLowerBound recompute_peak_lower_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                          const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
