#pragma once

#include <QWidget>
#include <functional>

namespace stashscope::ui {

/// What the keys of a chart over the steps do to it.
struct StepKeys {
  /// Moves the cursor by so many steps, as far as there are any.
  std::function<void(std::ptrdiff_t)> move;
  /// Shows fewer steps for a factor above 1, round the cursor.
  std::function<void(double)> zoom;
  /// Moves what is in sight by so many times its width, to the right above 0.
  std::function<void(double)> pan;
  std::function<void()> show_all;
};

/// By what a notch of the wheel or a key zooms.
constexpr double zoom_step = 1.25;

/// Arrow keys, with Shift ten steps, Home and End move the cursor; plus and minus zoom, Page up and
/// Page down pan, 0 shows everything. The right mouse button lists what the chart has keys for.
void add_step_keys(QWidget& chart, const StepKeys& keys);

}  // namespace stashscope::ui
