#pragma once

#include "core/study/search/budget.h"

namespace stashscope {

/// Searches among recompute plans by cluster, as config strings say them, for the cheapest within a
/// budget. First greedy: the plans that free most at the peak for their time, until the budget is
/// met; from above too: all plans, then those taken back that are not needed. Then simulated
/// annealing over the counts. Plans that put tensors away stay as the study's choices have them.
/// @param base the study's choices, with any order: found plans are put into them
/// @param archive takes all that was looked at
/// Returns how many configurations that were.
std::int64_t search_clusters(const Study& study, const Choices& base, std::int64_t budget_bytes,
                             const SearchLimit& limit, const Progress& progress,
                             ParetoFront& archive, const OnPlan& on_plan);

/// The choices with these plans in force, not those of a level.
Choices with_clusters(Choices choices, const RecomputeConfig& config);

}  // namespace stashscope
