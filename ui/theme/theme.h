#pragma once

#include <QColor>
#include <QPalette>

class QApplication;
class QWidget;

namespace stashscope::ui {

/// Colours of frames and data. Frames are neutral grey, data is coloured, and one accent colour
/// marks what the user chose.
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
  bool high_contrast = false;  ///< colours of data must stand out from black
  double stash_opacity = 0.3;  ///< opacity of the curves of stashed activations
};

/// The light theme. Exported pictures always use this theme.
const Theme& light_theme();
const Theme& dark_theme();

/// The theme of a palette. Widgets pass their own palette, so that they follow a change of theme.
Theme theme_of(const QPalette& palette);

/// Gives a widget the light theme's palette while this object lives. Does nothing in a light theme.
class LightPalette {
 public:
  explicit LightPalette(QWidget& widget);
  ~LightPalette();
  LightPalette(const LightPalette&) = delete;
  LightPalette& operator=(const LightPalette&) = delete;

 private:
  QWidget* widget_;  ///< null: nothing to restore
};

enum class ThemeChoice { system, light, dark, high_contrast };

/// Sets the style, palette and style sheet of the application.
void apply_theme(QApplication& application, ThemeChoice choice);

/// Asks the desktop in the background, over the session bus, whether it prefers dark windows. If
/// so, sets the dark theme.
void follow_system_theme(QApplication& application);

}  // namespace stashscope::ui
