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

/// The largest bound from four kinds of moments:
/// 1. While a task runs, its outputs are live, and so are its inputs, except those whose memory an
///    output takes over.
/// 2. While the last input of a task is made, its other inputs are live, and so are the inputs of
///    the task that makes the last one. The bound is the least over the inputs that may be last.
/// 3. When a task runs for the first time, some set of tasks has run before. Beside what the first
///    bound counts, items of this set are live if their maker may run only once, and if they are
///    kept or a task outside of the set reads them. It is not known which set has run, so the bound
///    takes the least bytes of such items over all sets: a minimum cut.
/// 4. At the end, all kept items are live. The `task` of this bound is invalid.
/// @param order a valid order; determines which tasks are tried first
/// @param limit limits the minimum cuts; each cut counts as one move for each task and item of the
/// graph
PeakLowerBound recompute_peak_lower_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                          const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
