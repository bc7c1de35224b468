#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// What a step takes before and after, where the figures come from, and what each plan of the plan
/// table adds.
std::string step_time_text(const Study& study);

/// The same of the step, with all other costs.
nlohmann::json cost_json(const Study& study);

}  // namespace stashscope
