#pragma once

#include <memory>

#include "core/study/search/budget.h"

namespace stashscope {

/// Searches for the fastest step whose tensors fit a budget. The search may choose what-ifs, passes
/// that add no time (combinations.h), nodes that run again (by cluster or one by one), and
/// offloaded tensors. It may also choose compressed tensors, if the request allows other results or
/// the study already compresses tensors. The unchanged step is a candidate, too.
///
/// Searches for steps within the budget, and also within smaller budgets: the multiples of 10 % of
/// the peak without plans that are below the budget. A smaller budget is skipped if it is proven
/// that no plan within it is faster than the best step found. The number of moves of each search
/// depends only on the limit and the step. Therefore, if the limit of time decides nothing
/// (`JointFacts::is_complete`), the answer to a budget is never slower than the answer to one of
/// these smaller budgets.
///
/// Plans that keep more on the host than `TimeChoices::host_memory` are left out.
///
/// The peak and the times of the answer come from the study of the answer's choices.
/// `BudgetAnswer::joint` is set.
/// @param request its grain is `joint`; the aim, `limits_later_steps`, the allocator and
/// `ends_when_decided` must have their defaults, else a usage Error is thrown
/// When cancelled, returns the best answer so far. Throws a usage Error for a captured step, whose
/// graph what-ifs cannot change.
BudgetAnswer plan_jointly(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
                          const Progress& progress);

/// Answers a request of any grain: by `plan_jointly` for `joint`, else by `plan_for_budget`.
BudgetAnswer answer_budget(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
                           ParetoFront& archive, const Progress& progress);

/// The study of an answer's choices. @param asked the study that was asked about
std::shared_ptr<const Study> study_of(const BudgetAnswer& answer, const Study& asked);

/// Why `plan_jointly` refuses a study; empty if it does not.
std::string why_not_joint(const Study& study);

}  // namespace stashscope
