#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/run/measurement/trace.h"

namespace stashscope {

nlohmann::json measurement_to_json(const Measurement& measurement);

/// The measurement in a field of an object; nothing where there is none. Throws an input Error that
/// names what makes no sense.
std::optional<Measurement> measurement_from(const nlohmann::json& object, const char* key);

}  // namespace stashscope
