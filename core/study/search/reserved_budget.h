#pragma once

#include "core/study/search/budget.h"

namespace stashscope {

/// Searches for plans with which the allocator of the request reserves at most the budget, and the
/// step takes at most `device_bytes` of the device if the request limits that. First searches for
/// plans whose tensors fit the budget. Of all plans found, takes the cheapest whose reserved memory
/// also fits. Then searches, in a few rounds, for the largest budget for tensors at which the
/// reserved memory of the cheapest plan fits. There may be a cheaper plan that the search does not
/// find. Each plan found is played through the allocator once. One such play cannot be cancelled,
/// and the limit does not end it, so the call may take longer than the limit.
/// @pre the request has an allocator
BudgetAnswer plan_for_reserved(const Study& study, const BudgetRequest& request,
                               ParetoFront& archive, const Progress& progress,
                               const OnPlan& on_plan);

}  // namespace stashscope
