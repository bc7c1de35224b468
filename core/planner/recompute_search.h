#pragma once

#include <cstdint>
#include <vector>

#include "core/schedule/minimal/anneal_order.h"
#include "core/schedule/tasks/search_limit.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope {

/// The best sequence found for a budget.
struct BudgetedSequence {
  std::vector<TaskId> sequence;
  std::int64_t cost = 0;
  std::int64_t peak_bytes = 0;
  bool feasible = false;  ///< within the budget; if not, the lowest peak that was found
  std::int64_t moves = 0;
  double seconds_to_first = 0;  ///< until the first feasible one
};

/// What a search may change.
struct RecomputeRules {
  bool keeps_order = false;  ///< first runs stay as they are given
};

/// The cheapest sequence that the search finds whose peak is within `budget_bytes` (persistent ones
/// included): tasks may run several times, in any order. Simulated annealing over sequences, in
/// rounds: runs are moved, added in front of a later reader (with what they need in turn), taken
/// out (with what only they needed), and taken out and replaced. A sequence above the budget is
/// held to be dearer, by a penalty that rises while the search is above and falls while it is not.
/// @param start a valid sequence
BudgetedSequence search_recompute(const TaskGraph& graph, const std::vector<TaskId>& start,
                                  std::int64_t budget_bytes, const RecomputeRules& rules,
                                  const SearchLimit& limit, const Progress& progress,
                                  const BetterSequence& on_better = {});

}  // namespace stashscope
