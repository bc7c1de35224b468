#pragma once

#include <QString>
#include <vector>

namespace stashscope::ui {

/// A mark on the horizontal axis of the memory curve.
struct AxisTick {
  double position = 0;  ///< in steps or milliseconds, as the axis counts
  QString text;

  friend bool operator==(const AxisTick&, const AxisTick&) = default;
};

/// Round step numbers between two positions, about `count` of them, each in the middle of its step.
/// People count steps from 1.
std::vector<AxisTick> step_ticks(double first, double last, int count);

/// Round times between two positions in milliseconds, about `count` of them, all in one unit.
std::vector<AxisTick> time_ticks(double first, double last, int count);

}  // namespace stashscope::ui
