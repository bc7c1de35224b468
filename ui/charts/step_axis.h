#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace stashscope::ui {

/// The smallest number of slots that a view shows.
constexpr double fewest_steps = 8;

/// The horizontal axis of the memory curve: it maps a range of slots to a range of pixels. Slot i
/// covers [i, i + 1). On an axis over time, all positions and lengths are in milliseconds instead.
struct StepAxis {
  double steps = 1;  ///< number of slots of the whole curve
  double first = 0;  ///< position at the left edge
  double last = 1;   ///< position at the right edge
  double left = 0;   ///< left end in pixels
  double right = 1;
  double shortest = fewest_steps;  ///< the smallest length that a view shows

  double x_of(double step) const { return left + (step - first) / (last - first) * (right - left); }
  double step_of(double x) const { return first + (x - left) / (right - left) * (last - first); }
  /// The slot drawn at a pixel; pixels beyond the ends give the nearest slot.
  std::size_t index_at(double x) const {
    return static_cast<std::size_t>(std::clamp(std::floor(step_of(x)), 0.0, steps - 1));
  }
};

/// The axis, zoomed out to the whole curve.
inline StepAxis whole(StepAxis axis) {
  axis.first = 0;
  axis.last = axis.steps;
  return axis;
}

inline StepAxis with_range(StepAxis axis, double first, double length) {
  length = std::clamp(length, std::min(axis.shortest, axis.steps), axis.steps);
  axis.first = std::clamp(first, 0.0, axis.steps - length);
  axis.last = axis.first + length;
  return axis;
}

/// An axis for another curve, which has `steps` slots. The axis shows the same share of that curve
/// as `axis` shows of its curve.
inline StepAxis with_steps(StepAxis axis, double steps) {
  const double growth = steps / axis.steps;
  axis.steps = steps;
  return with_range(axis, axis.first * growth, (axis.last - axis.first) * growth);
}

/// Zooms around pixel `x`: the position drawn there stays in place. A factor above 1 shows fewer
/// slots.
inline StepAxis zoomed(const StepAxis& axis, double factor, double x) {
  const double anchor = axis.step_of(x);
  const double length = (axis.last - axis.first) / factor;
  return with_range(axis, anchor - (anchor - axis.first) / factor, length);
}

inline StepAxis moved(const StepAxis& axis, double pixels) {
  const double steps = pixels * (axis.last - axis.first) / (axis.right - axis.left);
  return with_range(axis, axis.first - steps, axis.last - axis.first);
}

/// Maps between slots of a curve (`own`) and slots of the curve that defines the axis (`shown`).
/// The curves may differ in length. On the axis, the curves have the same boundary between forward
/// and backward and the same end.
struct StepAlignment {
  double shown_boundary = 0;
  double shown_end = 1;
  double own_boundary = 0;
  double own_end = 1;

  /// The slot of the `own` curve that is drawn at slot `shown` of the axis.
  double to_own(double shown) const {
    if (shown <= shown_boundary) {
      return shown_boundary > 0 ? shown * own_boundary / shown_boundary : shown;
    }
    const double share = (shown - shown_boundary) / std::max(1.0, shown_end - shown_boundary);
    return own_boundary + share * (own_end - own_boundary);
  }
  double to_shown(double own) const {
    return StepAlignment{own_boundary, own_end, shown_boundary, shown_end}.to_own(own);
  }
};

}  // namespace stashscope::ui
