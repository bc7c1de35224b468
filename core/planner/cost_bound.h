#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// By task, in the unit of `TaskGraph::cost`: the least cost at which an item of the task can be
/// evicted, so that the task need not run again; nothing if none of its items can be evicted. A
/// bound counts this cost once, even if several items of the task are evicted. If the vector is
/// empty, no item can be evicted.
using EvictionCosts = IdVector<TaskId, std::optional<std::int64_t>>;

/// Lower bound on the cost of any sequence within the budget. It considers the moments at which a
/// task runs for the first time. An item that is read at such a moment or later is live at the
/// moment, unless the item is evicted or its maker runs after the moment. A maker that has run
/// before the moment and runs after it, too, adds the cost of one run, and the items that the maker
/// reads are then read after the moment. The live items must fit the budget. Lagrangian relaxation
/// replaces the budget by a price of memory. For each price and moment, a minimum cut chooses which
/// tasks have run, which items are live and which tasks run again, at the least cost. Each minimum
/// cut counts towards `limit` as one move for each item and two for each task of the graph. Tasks
/// that read and make more than the budget are skipped: no sequence meets such a budget.
/// @param order a valid order; the slots with the most live bytes are tried first
std::int64_t recompute_cost_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                  std::int64_t budget_bytes, const SearchLimit& limit,
                                  const Progress& progress, const EvictionCosts& evictions = {});

}  // namespace stashscope
