#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/passes/graph_pass.h"
#include "core/study/search/budget.h"

namespace stashscope {

/// The cheapest combination that was found for a budget: plans, and passes that add no time.
struct DeviceFit {
  /// The study under which `answer` was found: the study given to `plan_to_fit`, or this study with
  /// `passes` switched on. For a joint answer, the study of its choices.
  std::shared_ptr<const Study> study;
  /// Passes that are on in `study`, but not in the given study.
  std::vector<const GraphPass*> passes;
  BudgetAnswer answer;
  ParetoFront found;  ///< the plans that were found with `passes`; empty if `passes` is empty
};

/// The cheapest plans that were found for a budget without and with free passes
/// (`with_free_passes`).
struct BudgetOffers {
  BudgetAnswer plain;  ///< under the study that was asked about
  /// The answer with free passes, if it is better: its plans meet the budget, and those of `plain`
  /// do not meet it or lead to a longer step. Its `passes` are not empty.
  std::optional<DeviceFit> with_passes;
};

/// The choices with the free passes of the study switched on. A pass is free if it lowers the peak
/// of the current step without lengthening the step. Tries `passes_to_try` one after the other,
/// each together with the free passes found before it. Appends the free passes to `passes`. Throws
/// a cancelled Error when cancelled.
Choices with_free_passes(const Study& study, const Progress& progress,
                         std::vector<const GraphPass*>& passes);

/// Searches for plans within a budget twice: for the study, and for the study with its free passes
/// (`with_free_passes`). If there are such passes, each search gets a part of the limit. When
/// cancelled, returns the best plans so far.
/// @param share_without the part of the limit for the search without passes, from 0 to 1
/// @param archive as for `plan_for_budget`. `archive` and `on_plan` receive only plans without
/// passes
BudgetOffers plan_with_offers(const std::shared_ptr<const Study>& study,
                              const BudgetRequest& request, double share_without,
                              ParetoFront& archive, const Progress& progress,
                              const OnPlan& on_plan = {}, const OnProof& on_proof = {});

/// The better one of the answers of `plan_with_offers`, each with half of the limit. Peak and time
/// of the answer are those of the study with the answer's choices.
DeviceFit plan_to_fit(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
                      ParetoFront& archive, const Progress& progress, const OnPlan& on_plan = {},
                      const OnProof& on_proof = {});

}  // namespace stashscope
