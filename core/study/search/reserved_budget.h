#pragma once

#include "core/study/search/budget.h"

namespace stashscope {

/// Searches for plans with which the allocator of the request reserves at most the budget. Searches
/// for plans whose tensors fit, and takes the cheapest of all plans found that also fits when it is
/// reserved; if there is none, searches again with a smaller budget for the tensors. Thus the plan
/// need not be the cheapest one.
/// @pre the request has an allocator
BudgetAnswer plan_for_reserved(const Study& study, const BudgetRequest& request,
                               ParetoFront& archive, const Progress& progress,
                               const OnPlan& on_plan);

}  // namespace stashscope
