#pragma once

#include <QWidget>
#include <functional>

namespace stashscope::ui {

/// The actions of the keys in a chart whose horizontal axis shows slots.
struct StepKeys {
  /// Moves the cursor by a number of slots, at most to the first or last slot. Positive numbers
  /// move it to the right.
  std::function<void(std::ptrdiff_t)> move;
  /// Zooms around the cursor; a factor above 1 shows fewer slots.
  std::function<void(double)> zoom;
  /// Pans by a number of view widths; positive numbers pan to the right.
  std::function<void(double)> pan;
  std::function<void()> show_all;
};

/// The zoom factor for one notch of the wheel or one press of a key.
constexpr double zoom_step = 1.25;

/// Adds keys to a chart. Left and Right move the cursor by one slot, with Shift by ten slots; Home
/// and End move it to the first and last slot. Plus and minus zoom, Page up and Page down pan, 0
/// shows the whole step. The right mouse button opens a menu of all keys of the chart.
void add_step_keys(QWidget& chart, const StepKeys& keys);

}  // namespace stashscope::ui
