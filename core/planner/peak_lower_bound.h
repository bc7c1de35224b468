#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// Lower bound on the peak of any sequence. The bound counts the bytes that must be live at a
/// moment that occurs in every sequence.
struct PeakLowerBound {
  std::int64_t bytes = 0;
  TaskId task;                ///< the task that runs at that moment; invalid: the end
  std::vector<ItemId> items;  ///< the items counted in `bytes`, which are live at that moment
};

/// The largest bound from four kinds of moments. First: while a task runs, its inputs and outputs
/// are live. Second: while the last input of a task is made, all other inputs of the task are live,
/// and so are the inputs of the task that makes the last input. Third: while a task runs for the
/// first time, an earlier item whose maker may run only once is live if it is kept or a later task
/// reads it. The minimum of the bytes of such items, over all sets of tasks that may have run, is a
/// minimum cut. Fourth: at the end, all kept items are live; the `task` of this bound is invalid.
/// @param order a valid order; determines which tasks are tried first
/// @param limit limits the minimum cuts; each cut counts as one move for each task and item of the
/// graph
PeakLowerBound recompute_peak_lower_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                          const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
