#pragma once

#include <QString>
#include <vector>

namespace stashscope::ui {

/// A mark on the horizontal axis of the memory curve.
struct AxisTick {
  double position = 0;  ///< in the unit of the axis: slots or milliseconds
  QString text;

  friend bool operator==(const AxisTick&, const AxisTick&) = default;
};

/// Ticks at about `count` round slot numbers between two positions. Each tick lies in the middle of
/// its slot. In the texts, slots count from 1. There are at least two ticks if the middles of two
/// slots lie between the positions. No ticks if `last` is not above `first` or `count` is below 1.
std::vector<AxisTick> step_ticks(double first, double last, int count);

/// Ticks at about `count` round times between two positions in milliseconds. There are at least two
/// ticks, but none if `last` is not above `first` or `count` is below 1. All texts use one unit.
std::vector<AxisTick> time_ticks(double first, double last, int count);

}  // namespace stashscope::ui
