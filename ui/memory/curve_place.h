#pragma once

#include "ui/charts/step_axis.h"
#include "ui/charts/step_clock.h"

namespace stashscope::ui {

/// What the horizontal axis of the memory curve counts.
enum class AxisUnit { steps, time };

/// Where the steps of one curve lie on an axis: over steps so that forward and backward meet those
/// of the curve that is shown; over time by its own clock. Refers to the clock.
class CurvePlace {
 public:
  explicit CurvePlace(const StepAlignment& alignment) : alignment_(alignment) {}
  explicit CurvePlace(const StepClock& clock) : clock_(&clock) {}

  /// The own step that is drawn at a position of the axis.
  double step_at(double position) const {
    return clock_ != nullptr ? clock_->step_at(position) : alignment_.to_own(position);
  }
  double position_of(double step) const {
    return clock_ != nullptr ? clock_->time_at(step) : alignment_.to_shown(step);
  }
  /// Where the curve ends on the axis.
  double end() const { return clock_ != nullptr ? clock_->total() : alignment_.shown_end; }

 private:
  StepAlignment alignment_;
  const StepClock* clock_ = nullptr;
};

}  // namespace stashscope::ui
