#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/study/facts/exported_config.h"
#include "core/study/search/budget.h"

namespace stashscope {

/// The plan found for a budget, with lower bounds on peak and extra time. If the budget is not met,
/// the text lists the tensors that must be live at the moment from which the lower bound on the
/// peak follows.
/// @param study a study in which the plan that was found is applied
/// @param exported the result of `exported_effect` for this study
std::string budget_text(const Study& study, const BudgetAnswer& answer,
                        const std::optional<ExportedEffect>& exported = {});
/// Why better plans were left out for the memory of the host, as a sentence; empty if none were.
std::string host_sentence(const Study& study, const BudgetAnswer& answer);
nlohmann::json budget_json(const Study& study, const BudgetAnswer& answer,
                           const std::optional<ExportedEffect>& exported = {});

/// One line for each plan on the Pareto front of peak and time. Empty for an empty front.
std::string curve_text(const Study& study, const std::vector<ParetoPoint>& curve);
nlohmann::json curve_json(const Study& study, const std::vector<ParetoPoint>& curve);

}  // namespace stashscope
