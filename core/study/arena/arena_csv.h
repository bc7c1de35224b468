#pragma once

#include <string>

#include "core/study/arena/step_arena.h"

namespace stashscope {

/// The arena as a CSV file in the format of google/minimalloc, see core/arena/arena_file.h: `id`,
/// `lower`, `upper`, `size` and `offset`. Times are slots from 0 on. The id of a piece is its name,
/// with `_` for what the format does not allow, and with a number if the name occurs twice.
/// @param variant the variant of the study's step that the arena belongs to
std::string arena_csv(const Study& study, const Variant& variant, const StepArena& arena);

}  // namespace stashscope
