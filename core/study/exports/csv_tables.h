#pragma once

#include <optional>
#include <string>

#include "core/allocator/allocator_settings.h"
#include "core/study/step/study.h"

namespace stashscope {

// Tables of the current step as CSV (RFC 4180). Bytes are whole numbers; slots count from 1.

/// A line for each slot: slot, node, live bytes and, with an allocator, reserved bytes.
std::string slot_csv(const Study& study, const std::optional<AllocatorSettings>& allocator);

/// A line for each tensor, largest first: its name, bytes, first and last slot, role and module.
/// The role is a band of memory, such as `stashed`.
std::string tensor_csv(const Study& study);

}  // namespace stashscope
