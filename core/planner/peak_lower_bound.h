#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// Lower bound on the peak of any sequence, from a moment that every execution passes.
struct PeakLowerBound {
  std::int64_t bytes = 0;
  TaskId task;  ///< the task that runs at that moment; invalid in a graph without tasks
  std::vector<ItemId> items;  ///< all items live at that moment, without persistent ones
};

/// Two kinds of moments count. While the last input of a task is made, all other inputs of the task
/// are live, together with the inputs of the maker. While a task runs for the first time, items of
/// makers that run only once are live if they are kept or a later task reads them; the fewest such
/// bytes over all sets of tasks that may have run are a minimum cut.
/// @param order a valid order; determines which tasks are tried first
/// @param limit limits the minimum cuts; a cut counts as a move for each task and item
PeakLowerBound recompute_peak_lower_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                          const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
