#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/facts/reserved_memory.h"

namespace stashscope {

/// A line about the reserved memory of a variant.
std::string reserved_text(const Study& study, const Variant& variant,
                          const AllocatorSettings& settings);

/// Adds the keys `reserved_bytes` and `fragmentation_bytes` to the object of a variant.
void add_reserved(const Study& study, const Variant& variant, const AllocatorSettings& settings,
                  nlohmann::json& object);

}  // namespace stashscope
