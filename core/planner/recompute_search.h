#pragma once

#include <cstdint>
#include <vector>

#include "core/base/search_limit.h"
#include "core/schedule/minimal/anneal_order.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// The best sequence found for a budget.
struct BudgetedSequence {
  std::vector<TaskId> sequence;
  std::int64_t cost = 0;
  std::int64_t peak_bytes = 0;
  bool feasible = false;  ///< whether the peak is within the budget; if false, this sequence has
                          ///< the lowest peak found
  std::int64_t moves = 0;
  double seconds_to_first = 0;  ///< time until the first feasible sequence
};

/// Restrictions on a search.
struct RecomputeRules {
  bool keeps_order = false;  ///< the first runs of the tasks keep the given order
};

/// The cheapest sequence found whose peak is within `budget_bytes` (including persistent bytes).
/// Tasks may run several times, in any order. Simulated annealing over sequences, in rounds: a move
/// shifts a run, adds a run before a later reader (with the inputs that this run needs), removes a
/// run (with the runs that only this run needs), or replaces a run. A sequence above the budget
/// pays a penalty. In some rounds, the penalty rises while the current sequence is above the budget
/// and falls while it is within the budget; in the other rounds, the penalty only rises.
/// @param start a valid sequence
BudgetedSequence search_recompute(const TaskGraph& graph, const std::vector<TaskId>& start,
                                  std::int64_t budget_bytes, const RecomputeRules& rules,
                                  const SearchLimit& limit, const Progress& progress,
                                  const BetterSequence& on_better = {});

}  // namespace stashscope
