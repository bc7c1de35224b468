#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stashscope {

/// A part of a sequence that repeats itself: [end - times * period, end).
struct Repetition {
  std::size_t end = 0;
  std::size_t period = 0;  ///< length of what is repeated
  std::size_t times = 0;

  std::size_t length() const { return period * times; }
  friend bool operator==(const Repetition&, const Repetition&) = default;
};

/// The longest stretch near the end of a sequence that consists of three or more equal periods,
/// with the shortest such period. After the stretch, at most as many keys may follow as two periods
/// have, because a program does something after its last step. Nothing if no such stretch covers
/// half of the sequence. Takes O(n log n). Source: the Z algorithm (Gusfield, Algorithms on
/// Strings, Trees, and Sequences, 1997, section 1.3), on the sequence from back to front.
std::optional<Repetition> repetition_at_end(std::span<const std::uint32_t> keys);

}  // namespace stashscope
