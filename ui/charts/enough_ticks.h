#pragma once

#include <cstddef>

namespace stashscope::ui {

/// An axis with a single number has no scale.
constexpr std::size_t fewest_ticks = 2;

/// The ticks of an axis for about `count` numbers. If the round distance for this count gives fewer
/// than two ticks, larger counts are tried. Fewer than two ticks are returned only if the axis has
/// no two positions for numbers, such as an axis with a single slot.
/// @param ticks_at returns the ticks for a count; a larger count gives no larger distance
template <class TicksAt>
auto enough_ticks(int count, TicksAt ticks_at) {
  constexpr int most_times_finer = 64;
  auto ticks = ticks_at(count);
  for (int finer = 2; ticks.size() < fewest_ticks && finer <= most_times_finer; ++finer) {
    ticks = ticks_at(finer * count);
  }
  return ticks;
}

}  // namespace stashscope::ui
