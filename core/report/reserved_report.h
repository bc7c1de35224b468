#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "core/study/reserved/allocator_advice.h"

namespace stashscope {

/// What the chosen allocator reserves for a variant of the step.
struct ChosenReserve {
  AllocatorSettings settings;
  ReservedMemory memory;
};
/// Nothing if no allocator is chosen.
/// @param variant a variant of the study's step
std::optional<ChosenReserve> chosen_reserve(const Study& study, const Variant& variant);

/// A line about it.
std::string reserved_text(const ChosenReserve& reserve);

/// `{"reserved_bytes": 2, "fragmentation_bytes": 1}`
nlohmann::json reserved_json(const ChosenReserve& reserve);

/// A table of the tried settings, the best of them, and why.
std::string advice_text(const AllocatorAdvice& advice);
nlohmann::json advice_json(const AllocatorAdvice& advice);

}  // namespace stashscope
