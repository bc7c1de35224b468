#pragma once

#include <optional>

#include "core/schedule/tasks/run_sequence.h"
#include "core/schedule/tasks/search_limit.h"

namespace stashscope {

/// Moves one run, chosen at random, to another place that it may have. False when there was none.
/// @param keeps_order the first run of each task stays where it is
bool shift_random_run(RunSequence& state, SearchRandom& random, bool keeps_order = false);

/// The empty slot nearest to `slot` on its left, behind `behind`.
std::optional<std::uint32_t> empty_slot_before(const RunSequence& state, std::uint32_t slot,
                                               std::uint32_t behind);

}  // namespace stashscope
