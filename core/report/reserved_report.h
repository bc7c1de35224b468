#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/reserved/allocator_advice.h"

namespace stashscope {

/// A line about what is reserved with these settings.
std::string reserved_text(const ReservedMemory& memory, const AllocatorSettings& settings);

/// `{"reserved_bytes": 2, "fragmentation_bytes": 1}`
nlohmann::json reserved_json(const ReservedMemory& memory);

/// A table of the tried settings, the best of them, and why.
std::string advice_text(const AllocatorAdvice& advice);
nlohmann::json advice_json(const AllocatorAdvice& advice);

}  // namespace stashscope
