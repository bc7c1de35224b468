#pragma once

#include "core/planner/recompute_search.h"

namespace stashscope {

/// A sequence for a budget, with what is proven of it.
struct SequencePlan {
  BudgetedSequence found;
  std::int64_t cost_bound = 0;        ///< no sequence within the budget costs less
  std::int64_t peak_lower_bound = 0;  ///< no sequence at all has a lower peak

  /// Whether it is proven that the budget cannot be met.
  bool is_impossible(std::int64_t budget_bytes) const { return peak_lower_bound > budget_bytes; }
};

/// The cheapest sequence for a budget: the best order without repeats where one fits, else a search
/// from the best order that was found.
/// @param starts valid orders, at least one; where the order is to be kept, the first counts
SequencePlan plan_sequence(const TaskGraph& graph, const std::vector<std::vector<TaskId>>& starts,
                           std::int64_t budget_bytes, const RecomputeRules& rules,
                           const SearchLimit& limit, const Progress& progress,
                           const BetterSequence& on_better = {});

}  // namespace stashscope
