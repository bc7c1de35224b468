#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// By task, in the unit of `TaskGraph::cost`: the least cost of evicting items that the task makes,
/// so that it need not run again for them; nothing if none of them can be evicted. One payment
/// counts for all items of the task. Empty: no items can be evicted.
using EvictionCosts = IdVector<TaskId, std::optional<std::int64_t>>;

/// Lower bound on the cost of any sequence within the budget. It looks at the moments at which a
/// task runs for the first time. Every item that is read from this moment on is live, unless its
/// maker runs after the moment or the item is evicted. If the maker has run before, it then runs
/// again, and the same holds for the items that it reads. What is live must fit the budget.
/// Lagrangian relaxation replaces the budget by a price of memory; for each price and moment, the
/// cheapest choice of what has run, is live and runs again is a minimum cut. Each minimum cut
/// counts towards `limit` as one move for each item and two for each task of the graph. Tasks that
/// read and make more than the budget are skipped: no sequence meets such a budget.
/// @param order a valid order; the slots with the most live bytes are tried first
std::int64_t recompute_cost_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                  std::int64_t budget_bytes, const SearchLimit& limit,
                                  const Progress& progress, const EvictionCosts& evictions = {});

}  // namespace stashscope
