#pragma once

#include <cstdint>
#include <span>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// What no order that runs each task once can be below while `task` runs: what the task makes, and
/// the least that can live beside it. The tasks that ran before it are some set that contains its
/// ancestors, all of their inputs' makers, and none of its descendants; the set whose items that
/// are still to be read take the fewest bytes is a minimum cut.
std::int64_t least_bytes_at(const TaskGraph& graph, TaskId task);

/// A set of items that separates what has run from what has not.
struct LeastCut {
  std::int64_t weight = 0;
  std::vector<ItemId> items;
};

/// The least sum of `weight` over items that are still to be read while `task` runs, over all sets
/// of tasks that may have run before it. Items that it takes over itself do not count.
/// @param weight not negative, by item
LeastCut least_cut_at(const TaskGraph& graph, TaskId task,
                      const IdVector<ItemId, std::int64_t>& weight);

/// The steps of an order, those of the most live bytes first.
std::vector<std::size_t> steps_by_live_bytes(const SequenceMemory& memory);

/// The largest of these bounds over the tasks of an order, those first that are near its peak, as
/// far as the limit goes (a cut counts as a move for each task and item). At least the bytes of the
/// largest task.
std::int64_t order_bound(const TaskGraph& graph, std::span<const TaskId> order,
                         const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
