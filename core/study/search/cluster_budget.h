#pragma once

#include "core/study/search/budget.h"

namespace stashscope {

/// Searches for the cheapest recompute plans by cluster (config strings) within a budget. Starts
/// greedily from below (adds the plans that free the most bytes at the peak per second until the
/// budget is met) and from above (takes all plans, then removes plans that the budget does not
/// need). Continues with simulated annealing over the counts. Evicting plans stay as in the study's
/// choices.
/// @param base the study's choices, with any order; a point of `archive` is a copy of these choices
/// with other plans in force
/// @param archive receives every evaluated configuration that is on the Pareto front
/// Returns the number of evaluated configurations.
std::int64_t search_clusters(const Study& study, const Choices& base, std::int64_t budget_bytes,
                             const SearchLimit& limit, const Progress& progress,
                             ParetoFront& archive, const OnPlan& on_plan);

/// The choices with the plans of `config`, without a level and without a planned sequence.
Choices with_clusters(Choices choices, const RecomputeConfig& config);

}  // namespace stashscope
