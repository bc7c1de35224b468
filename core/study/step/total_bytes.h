#pragma once

#include <cstdint>
#include <string>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

/// Throws an input Error if the items have more than `most` bytes in all.
/// @param items each with its `bytes`, at least 0
/// @param where names the owner of the items, such as `the arena of the step`; the Error begins
/// with this name
template <class Items>
void check_total_bytes(const Items& items, std::int64_t most, const std::string& where) {
  std::int64_t left = most;
  for (const auto& each : items) {
    if (each.bytes > left) {
      fail_input(where, "has tensors of more than " + format_bytes(most) + " in all",
                 "choose smaller dimensions");
    }
    left -= each.bytes;
  }
}

}  // namespace stashscope
