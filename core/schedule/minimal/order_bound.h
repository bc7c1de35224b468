#pragma once

#include <cstdint>
#include <span>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// The tasks on which a task depends, and the tasks that depend on it, without the task itself.
IdVector<TaskId, bool> ancestors_of(const TaskGraph& graph, TaskId task);
IdVector<TaskId, bool> descendants_of(const TaskGraph& graph, TaskId task);

/// Lower bound on the live bytes while `task` runs, over all orders that run each task once. The
/// bound is the sum of the persistent bytes, the bytes that `task` makes, and the fewest bytes that
/// the other live items can take. The tasks that run before `task` always include all ancestors of
/// `task` and never a descendant. A minimum cut over all such sets of tasks gives the fewest bytes
/// of items that are kept or still to be read.
std::int64_t least_bytes_at(const TaskGraph& graph, TaskId task);

/// A set of items that separates the tasks that have run from all other tasks.
struct LeastCut {
  std::int64_t weight = 0;
  std::vector<ItemId> items;
};

/// The sum of `weight` over the items that are kept or still to be read while `task` runs,
/// minimized over all sets of tasks that may have run before `task`. An item that only `task` still
/// has to read does not count if `task` takes over its memory.
/// @param weight not negative, by item
LeastCut least_cut_at(const TaskGraph& graph, TaskId task,
                      const IdVector<ItemId, std::int64_t>& weight);

/// The slots of an order by descending live bytes.
std::vector<std::size_t> slots_by_live_bytes(const SequenceMemory& memory);

/// Lower bound on the peak of all orders: the maximum of largest_task_bytes and of least_bytes_at
/// for the tasks of `order`. Tries the tasks by descending live bytes of their slots, until `limit`
/// is reached. Each try takes as many moves of the limit as the graph has tasks and items together.
std::int64_t order_bound(const TaskGraph& graph, std::span<const TaskId> order,
                         const SearchLimit& limit, const Progress& progress);

}  // namespace stashscope
