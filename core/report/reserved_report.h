#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/reserved/allocator_advice.h"

namespace stashscope {

/// A line about the reserved memory of a variant.
std::string reserved_text(const Study& study, const Variant& variant,
                          const AllocatorSettings& settings);

/// Adds the keys `reserved_bytes` and `fragmentation_bytes` to the object of a variant.
void add_reserved(const Study& study, const Variant& variant, const AllocatorSettings& settings,
                  nlohmann::json& object);

/// A table of the tried settings, the best of them, and why.
std::string advice_text(const AllocatorAdvice& advice);
nlohmann::json advice_json(const AllocatorAdvice& advice);

}  // namespace stashscope
