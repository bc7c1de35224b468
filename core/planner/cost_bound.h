#pragma once

#include <cstdint>
#include <span>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// Lower bound on the cost of any sequence within the budget. While some task runs for the first
/// time, every earlier item that a later task reads is live, unless the item's maker runs again.
/// Thus the items whose makers run again must account for all bytes above the budget. Lagrangian
/// relaxation replaces the budget by a price of memory; for each price and task, the cheapest
/// choice of these makers is a minimum cut. Each minimum cut counts towards `limit` as one move for
/// each task and item of the graph.
/// @param order a valid order; the slots with the most live bytes are tried first
std::int64_t recompute_cost_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                  std::int64_t budget_bytes, const SearchLimit& limit,
                                  const Progress& progress);

}  // namespace stashscope
