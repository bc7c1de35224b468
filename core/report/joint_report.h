#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/search/budget.h"

namespace stashscope {

/// The verdict on a budget of the grain `joint`, as a clause: peak, time of a step, and what is
/// proven about it. @pre answer.joint
std::string joint_verdict(const BudgetAnswer& answer);
/// What was chosen and why, one line each. @pre answer.joint
std::string explanation_text(const BudgetAnswer& answer);
/// The keys that a joint answer adds to those of every answer. @pre answer.joint
nlohmann::json joint_json(const BudgetAnswer& answer);

}  // namespace stashscope
