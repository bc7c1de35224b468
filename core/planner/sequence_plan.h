#pragma once

#include "core/planner/recompute_search.h"

namespace stashscope {

/// A sequence for a budget, with proven lower bounds.
struct SequencePlan {
  BudgetedSequence found;
  std::int64_t cost_bound = 0;        ///< lower bound on the cost of any sequence within the budget
  std::int64_t peak_lower_bound = 0;  ///< lower bound on the peak of any sequence

  /// Whether the lower bound on the peak proves that no sequence meets the budget.
  bool is_impossible(std::int64_t budget_bytes) const { return peak_lower_bound > budget_bytes; }
};

/// The cheapest sequence found for a budget. If an order without repeated runs is found whose peak
/// is within the budget, this order is the result. Otherwise, a search adds repeated runs to the
/// order with the lowest peak found.
/// @param starts valid orders, at least one; if `rules` keep the order, only the first order is
/// used, and no other order is searched for
SequencePlan plan_sequence(const TaskGraph& graph, const std::vector<std::vector<TaskId>>& starts,
                           std::int64_t budget_bytes, const RecomputeRules& rules,
                           const SearchLimit& limit, const Progress& progress,
                           const BetterSequence& on_better = {});

}  // namespace stashscope
