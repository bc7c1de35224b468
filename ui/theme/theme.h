#pragma once

#include <QColor>
#include <QPalette>

class QApplication;

namespace stashscope::ui {

/// The colours of frames and data. Frames are neutral greys; colour means data, one accent means
/// what the user chose.
struct Theme {
  bool dark = false;
  QColor window;   ///< behind panels
  QColor surface;  ///< panels, tables, boxes
  QColor canvas;   ///< behind graph and curve
  QColor line;     ///< borders and grids
  QColor text;
  QColor muted;     ///< secondary text and edges
  QColor accent;    ///< what the user selected or changed
  QColor stash;     ///< stashed activations between forward and backward
  QColor baseline;  ///< the step without plans
  QColor measured;  ///< what a run measured
  QColor warning;
};

/// For what is to be printed.
const Theme& light_theme();

/// The theme that belongs to a palette; widgets ask with their own, so they follow a change.
Theme theme_of(const QPalette& palette);

enum class ThemeChoice { system, light, dark };

/// Gives the application the style, palette and sheet of a theme.
void apply_theme(QApplication& application, ThemeChoice choice);

/// Follows the desktop's preference for dark windows where it is told on the session bus.
void follow_system_theme(QApplication& application);

}  // namespace stashscope::ui
