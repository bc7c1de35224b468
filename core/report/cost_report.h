#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/step/study.h"

namespace stashscope {

/// The time of the baseline and of the current step, the source of the figures, and the extra time
/// of each of ONNX Runtime's plans.
std::string step_time_text(const Study& study);

/// The source of the times: `predicted for H100`, or `measured on cpu` with the number of measured
/// nodes, or both.
std::string times_source(const Study& study);

/// Times and all other costs of the step.
nlohmann::json cost_json(const Study& study);

}  // namespace stashscope
