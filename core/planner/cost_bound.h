#pragma once

#include <cstdint>
#include <span>

#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// What no sequence within the budget can cost less than. While some task runs for the first time,
/// every item that a task not yet run will read is alive, unless its maker runs again. So the
/// makers that run again must free what the others leave too much; which of them do is relaxed by a
/// price for memory (Lagrange), and for each price and task the cheapest case is a minimum cut.
/// A cut counts as a move for each task and item.
/// @param order a valid order; its steps of the most live bytes are looked at first
std::int64_t recompute_cost_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                  std::int64_t budget_bytes, const SearchLimit& limit,
                                  const Progress& progress);

}  // namespace stashscope
