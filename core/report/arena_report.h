#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/study/arena/step_arena.h"

namespace stashscope {

/// Lines about an arena: its capacity, the load bound, and the persistent bytes, which lie outside
/// of the arena; or the reason why there is no arena.
std::string arena_text(const FoundArena& found);

/// Adds the key `arena` to `memory`, the JSON object of a variant. Without an arena, the value is
/// null, and the key `no_arena` says why. An arena is `{"capacity_bytes": 3, "load_bound_bytes": 2,
/// "lower_bound_bytes": 2, "persistent_bytes": 1, "buffers": [{"name", "bytes", "offset",
/// "first_slot", "last_slot", "is_workspace"}]}`. Slots count from 1.
/// @param variant the variant of the study's step that the arena belongs to
void add_arena(nlohmann::json& memory, const Study& study, const Variant& variant,
               const FoundArena& found);

}  // namespace stashscope
