#pragma once

#include <QDockWidget>

namespace stashscope::ui {

/// Whether the widget is part of the main window or of a floating panel of the main window. A
/// floating panel is a window of its own.
inline bool is_part_of(const QWidget& widget, const QWidget& main_window) {
  const QWidget* const window = widget.window();
  const bool is_floating =
      qobject_cast<const QDockWidget*>(window) != nullptr && window->parentWidget() == &main_window;
  return window == &main_window || is_floating;
}

}  // namespace stashscope::ui
