#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/arena/step_arena.h"

namespace stashscope {

/// The static arenas of both variants of a step.
struct StepArenas {
  StepArena baseline;
  StepArena current;
};

/// Lines about an arena: its capacity, the load bound, and what is outside.
std::string arena_text(const StepArena& arena);

/// `{"capacity_bytes": 3, "load_bound_bytes": 2, "lower_bound_bytes": 2, "persistent_bytes": 1,
/// "buffers": [{"name", "bytes", "offset", "first_slot", "last_slot", "is_workspace"}]}`. Slots
/// count from 1.
/// @param variant the variant of the study's step that the arena belongs to
nlohmann::json arena_json(const Study& study, const Variant& variant, const StepArena& arena);

}  // namespace stashscope
