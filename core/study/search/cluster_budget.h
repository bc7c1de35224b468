#pragma once

#include "core/study/search/budget.h"

namespace stashscope {

/// Searches the recompute plans by cluster, as in config strings, for the cheapest within a budget.
/// Starts greedily from below (adds the plans that free the most bytes at the peak per second until
/// the budget is met) and from above (takes all plans, then removes those that are not needed).
/// Continues with simulated annealing over the counts. Evicting plans stay as in the study's
/// choices.
/// @param base the study's choices, with any order; each plan found is returned as a copy of them
/// with that plan in force
/// @param archive receives every evaluated configuration
/// Returns the number of evaluated configurations.
std::int64_t search_clusters(const Study& study, const Choices& base, std::int64_t budget_bytes,
                             const SearchLimit& limit, const Progress& progress,
                             ParetoFront& archive, const OnPlan& on_plan);

/// The choices with these plans in force and without a level.
Choices with_clusters(Choices choices, const RecomputeConfig& config);

}  // namespace stashscope
