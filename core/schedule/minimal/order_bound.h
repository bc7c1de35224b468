#pragma once

#include <cstdint>
#include <span>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// Lower bound on the live bytes while `task` runs, over all orders that run each task once: the
/// bytes the task makes plus the fewest bytes that can live beside them. A set of tasks that run
/// before `task` includes all of its ancestors and no descendant. Among these sets, a minimum cut
/// finds the set whose items with readers left take the fewest bytes.
std::int64_t least_bytes_at(const TaskGraph& graph, TaskId task);

/// A set of items that separates the tasks that have run from all other tasks.
struct LeastCut {
  std::int64_t weight = 0;
  std::vector<ItemId> items;
};

/// The smallest sum of `weight` over the items that are kept or still to be read while `task` runs,
/// over all sets of tasks that may have run before `task`. Items whose memory the task takes over
/// do not count.
/// @param weight not negative, by item
LeastCut least_cut_at(const TaskGraph& graph, TaskId task,
                      const IdVector<ItemId, std::int64_t>& weight);

/// The slots of an order by descending live bytes.
std::vector<std::size_t> slots_by_live_bytes(const SequenceMemory& memory);

/// Lower bound on the peak of all orders: the largest least_bytes_at over the tasks of an order,
/// and at least largest_task_bytes. Tries the tasks with the most live bytes first. Stops at the
/// limit: a cut counts as one move for each task and item.
std::int64_t order_bound(const TaskGraph& graph, std::span<const TaskId> order,
                         const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
