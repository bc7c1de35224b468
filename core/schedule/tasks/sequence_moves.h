#pragma once

#include <optional>

#include "core/base/search_limit.h"
#include "core/schedule/tasks/run_sequence.h"

namespace stashscope {

/// Moves a random run to another valid slot. Returns false if it finds no run or no slot.
/// @param keeps_order if true, never moves the first run of a task, so that the first runs of all
/// tasks keep their order
bool shift_random_run(RunSequence& state, SearchRandom& random, bool keeps_order = false);

/// The last empty slot in the open interval (behind, slot); nullopt if all these slots are taken.
std::optional<std::uint32_t> empty_slot_before(const RunSequence& state, std::uint32_t slot,
                                               std::uint32_t behind);

}  // namespace stashscope
