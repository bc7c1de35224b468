#include "ui/charts/axis_drag.h"

#include <QApplication>
#include <utility>

namespace stashscope::ui {

void AxisDrag::press(double x, bool marks_range) {
  pressed_at_ = x;
  dragged_to_ = x;
  kind_ = marks_range ? Kind::brush : Kind::click;
}

std::optional<StepAxis> AxisDrag::move(const StepAxis& axis, double x) {
  if (kind_ == Kind::click && is_far(x)) kind_ = Kind::pan;
  const double from = std::exchange(dragged_to_, x);
  return kind_ == Kind::pan ? std::optional(moved(axis, x - from)) : std::nullopt;
}

AxisDrag::Kind AxisDrag::release() { return std::exchange(kind_, Kind::none); }

std::optional<StepAxis> AxisDrag::zoomed_to(const StepAxis& axis, double x) const {
  if (!is_far(x)) return std::nullopt;
  const double first = axis.step_of(std::min(x, pressed_at_));
  const double last = axis.step_of(std::max(x, pressed_at_));
  return with_range(axis, first, last - first);
}

bool AxisDrag::is_far(double x) const {
  return std::abs(x - pressed_at_) >= QApplication::startDragDistance();
}

}  // namespace stashscope::ui
