#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/study/search/budget.h"

namespace stashscope {

/// What plans make the step do: a config string and its probe, or how much runs again.
std::string plan_text(const Choices& choices);

/// What was found for a budget and what is proven; of a budget that is not met, what keeps it.
/// @param study of the plans that were found
std::string budget_text(const Study& study, const BudgetAnswer& answer);
nlohmann::json budget_json(const Study& study, const BudgetAnswer& answer);

/// One line for each plan of a curve of peak against time. Empty for an empty curve.
std::string curve_text(const Study& study, const std::vector<ParetoPoint>& curve);
nlohmann::json curve_json(const Study& study, const std::vector<ParetoPoint>& curve);

}  // namespace stashscope
