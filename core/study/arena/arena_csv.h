#pragma once

#include <string>

#include "core/study/arena/step_arena.h"

namespace stashscope {

/// The arena as a CSV file in the format of google/minimalloc, see core/arena/arena_file.h: `id`,
/// `lower`, `upper`, `size` and `offset`. Times are slots from 0 on. The id of a piece is its name.
/// `_` replaces commas and empty names, which the format does not allow. A number follows a name
/// that occurs again.
/// @param variant the variant of the study's step that the arena belongs to
std::string arena_csv(const Study& study, const Variant& variant, const StepArena& arena);

}  // namespace stashscope
