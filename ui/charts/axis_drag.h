#pragma once

#include <optional>

#include "ui/charts/step_axis.h"

namespace stashscope::ui {

/// The left mouse button on a chart with a StepAxis: a drag pans, a drag with Shift marks a range
/// to zoom to, and a press without a drag is a click. Positions are in pixels.
class AxisDrag {
 public:
  enum class Kind { none, click, pan, brush };

  /// @param marks_range whether Shift is held
  void press(double x, bool marks_range);
  /// The pointer moved while the button is pressed. Returns the new axis if the drag pans.
  std::optional<StepAxis> move(const StepAxis& axis, double x);
  /// Ends the drag or the click, and returns its kind.
  Kind release();
  void cancel() { kind_ = Kind::none; }

  bool is_brush() const { return kind_ == Kind::brush; }
  double pressed_at() const { return pressed_at_; }
  double dragged_to() const { return dragged_to_; }
  /// The axis zoomed to the marked range, if the pointer moved far enough for a range.
  std::optional<StepAxis> zoomed_to(const StepAxis& axis, double x) const;

 private:
  bool is_far(double x) const;

  Kind kind_ = Kind::none;
  double pressed_at_ = 0;
  double dragged_to_ = 0;
};

}  // namespace stashscope::ui
