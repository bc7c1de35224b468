#pragma once

#include <cstdint>
#include <span>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// Lower bound on the cost of any sequence within the budget. While some task runs for the first
/// time, every item that a later task reads is alive, unless its maker runs again. Thus the makers
/// that run again must free the bytes above the budget. The choice of these makers is relaxed by a
/// price of memory (Lagrange multiplier); for each price and task, the cheapest choice is a minimum
/// cut. A cut counts as a move for each task and item.
/// @param order a valid order; the slots with the most live bytes are tried first
std::int64_t recompute_cost_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                  std::int64_t budget_bytes, const SearchLimit& limit,
                                  const Progress& progress);

}  // namespace stashscope
