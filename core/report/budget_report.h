#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/study/facts/exported_config.h"
#include "core/study/search/budget.h"

namespace stashscope {

/// The plan found for a budget. If the plan meets the budget, the text states the lower bound on
/// the extra time. If not, it states the lower bound on the peak and lists the largest tensors that
/// must be live at the moment from which this bound follows. Bounds that are not known are left
/// out.
/// @param study a study in which the plan that was found is applied
/// @param exported the result of `exported_effect` for this study
std::string budget_text(const Study& study, const BudgetAnswer& answer,
                        const std::optional<ExportedEffect>& exported = {});
/// A sentence on better plans that were left out because they need more memory of the host than
/// --host-memory allows; empty if there are none.
std::string host_sentence(const Study& study, const BudgetAnswer& answer);
nlohmann::json budget_json(const Study& study, const BudgetAnswer& answer,
                           const std::optional<ExportedEffect>& exported = {});

/// One line for each plan on the Pareto front of peak and time. Empty for an empty front.
std::string curve_text(const Study& study, const std::vector<ParetoPoint>& curve);
nlohmann::json curve_json(const Study& study, const std::vector<ParetoPoint>& curve);

}  // namespace stashscope
