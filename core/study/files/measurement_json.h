#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "core/run/measurement/trace.h"

namespace stashscope {

nlohmann::json measurement_to_json(const Measurement& measurement);

/// The measurement in a field of an object; nothing if the field is missing. Throws an input Error
/// that names the invalid field.
std::optional<Measurement> measurement_from(const nlohmann::json& object, const char* key);

}  // namespace stashscope
