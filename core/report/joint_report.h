#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/search/budget.h"

namespace stashscope {

/// The verdict on a budget of the grain `joint`, as a clause: the peak and the time of a step. If
/// the budget is met, also the proven lower bound on this time; if it is proven that the budget
/// cannot be met, the lower bound on the peak. @pre answer.joint
std::string joint_verdict(const BudgetAnswer& answer);
/// One line for each choice with the reason why it was made or not made. @pre answer.joint
std::string explanation_text(const BudgetAnswer& answer);
/// The keys that a joint answer adds to those of every answer. @pre answer.joint
nlohmann::json joint_json(const BudgetAnswer& answer);

}  // namespace stashscope
