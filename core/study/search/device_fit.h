#pragma once

#include <memory>
#include <vector>

#include "core/passes/graph_pass.h"
#include "core/study/search/budget.h"

namespace stashscope {

/// The cheapest way found to meet a budget with plans, and with passes that take no time.
struct DeviceFit {
  /// The step that `answer` plans: the asked study, or the study with `passes` on.
  std::shared_ptr<const Study> study;
  std::vector<const GraphPass*> passes;  ///< passes that the asked study does not have
  BudgetAnswer answer;
  ParetoFront found;  ///< plans of `study`
};

/// The choices with all passes of `passes_to_try` on that, beside the passes before them, lower the
/// peak of the current step and do not lengthen it. Appends these passes to `passes`. Throws a
/// cancelled Error when cancelled.
Choices with_free_passes(const Study& study, const Progress& progress,
                         std::vector<const GraphPass*>& passes);

/// Searches for plans within a budget twice: for the study, and for the study with its free passes.
/// Takes the passes if the plans for the study do not meet the budget, or if its step is longer.
/// Peak and time of the answer are those of the study with the answer's choices. If neither meets
/// the budget, the answer is the one without passes. Each search gets a part of the limit. When
/// cancelled, returns the best plan so far.
/// @param archive as for `plan_for_budget`; receives only plans without passes, as does `on_plan`
DeviceFit plan_to_fit(const std::shared_ptr<const Study>& study, const BudgetRequest& request,
                      ParetoFront& archive, const Progress& progress, const OnPlan& on_plan = {},
                      const OnProof& on_proof = {});

}  // namespace stashscope
