#pragma once

#include <memory>

#include "core/study/search/budget.h"

namespace stashscope {

/// Searches for the fastest step within a budget for its tensors. The moves are what-ifs and free
/// passes (combinations.h), nodes that run again, by cluster and one by one, offloaded tensors and,
/// if the request allows that results change, compressed ones. The step as it is, and the plans
/// that `search_for_budget` finds by cluster for the step's own what-ifs and passes, are
/// candidates, too.
///
/// The budget is searched for, and every share of the peak without plans below it that is a
/// multiple of 10 %, unless it is proven that no plan within that share is faster. Each of these
/// searches has a fixed number of moves, which depends on the limit and the step alone. Therefore,
/// if no search ends because of the limit of time (`JointFacts::is_complete`), a budget is never
/// answered with a slower step than a smaller budget that is such a share.
///
/// The answer's peak and times are those of the study of its choices, and its `joint` is set.
/// @param request its grain is `joint`; the aim, the limit of later steps, the allocator and
/// `ends_when_decided` must have their defaults, else it throws a usage Error
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
