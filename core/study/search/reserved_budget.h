#pragma once

#include "core/study/search/budget.h"

namespace stashscope {

/// Searches for plans with which the allocator of the request reserves at most the budget, and the
/// step takes at most `device_bytes` of the device if the request limits that. Searches
/// for plans whose tensors fit, and takes the cheapest of all plans found that also fits when it is
/// reserved. Then narrows down the largest budget for the tensors whose cheapest plan fits, until
/// the limit is reached. Thus the plan need not be the cheapest one. Each plan found is played once
/// through the allocator, which takes time beside the limit and is not cancelled.
/// @pre the request has an allocator
BudgetAnswer plan_for_reserved(const Study& study, const BudgetRequest& request,
                               ParetoFront& archive, const Progress& progress,
                               const OnPlan& on_plan);

}  // namespace stashscope
