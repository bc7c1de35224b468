#pragma once

#include "ui/charts/step_axis.h"
#include "ui/charts/step_clock.h"

namespace stashscope::ui {

/// Unit of the horizontal axis of the memory curve.
enum class AxisUnit { steps, time };

/// Maps the slots of one curve to positions on an axis. On an axis of slots, the forward and
/// backward passes of this curve are aligned with those passes of the current curve. On a time
/// axis, a position is a time of the curve's `StepClock`. The clock must outlive this object.
class CurvePlace {
 public:
  explicit CurvePlace(const StepAlignment& alignment) : alignment_(alignment) {}
  explicit CurvePlace(const StepClock& clock) : clock_(&clock) {}

  /// The slot of this curve that is drawn at a position of the axis.
  double step_at(double position) const {
    return clock_ != nullptr ? clock_->step_at(position) : alignment_.to_own(position);
  }
  double position_of(double step) const {
    return clock_ != nullptr ? clock_->time_at(step) : alignment_.to_shown(step);
  }
  /// The position on the axis at which the curve ends.
  double end() const { return clock_ != nullptr ? clock_->total() : alignment_.shown_end; }

 private:
  StepAlignment alignment_;
  const StepClock* clock_ = nullptr;
};

}  // namespace stashscope::ui
