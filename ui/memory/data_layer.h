#pragma once

#include <QImage>

#include "ui/memory/memory_curves.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// How the memory view shows what it has.
struct MemoryLook {
  enum class Fill { bands, tensors };
  enum class Colouring { lifetime, band };

  Fill fill = Fill::bands;
  Colouring colouring = Colouring::lifetime;  ///< of tensors, but for what is there throughout
  AxisUnit unit = AxisUnit::steps;

  friend bool operator==(const MemoryLook&, const MemoryLook&) = default;
};

inline MemoryLook with_other_fill(MemoryLook look) {
  using Fill = MemoryLook::Fill;
  look.fill = look.fill == Fill::bands ? Fill::tensors : Fill::bands;
  return look;
}
inline MemoryLook with_other_colouring(MemoryLook look) {
  using Colouring = MemoryLook::Colouring;
  look.colouring = look.colouring == Colouring::band ? Colouring::lifetime : Colouring::band;
  return look;
}
inline MemoryLook with_other_unit(MemoryLook look) {
  look.unit = look.unit == AxisUnit::time ? AxisUnit::steps : AxisUnit::time;
  return look;
}

/// The picture inside the plot: what fills the memory, with the curves on it. Its cost depends on
/// the pixels, and only by logarithm on the steps.
struct DataLayer {
  const MemoryCurves& curves;
  const MemoryLook& look;
  const StepAxis& axis;
  std::int64_t top = 1;  ///< bytes at the upper edge
  BufferId marked;       ///< drawn with an outline when it is told apart; may be invalid
  const Theme& theme;

  /// @param size in pixels of the device, @param ratio of these to those of the widget
  /// @pre the curves are not empty
  QImage draw(const QSize& size, double ratio) const;
};

/// Of the scratch memory that a run measured.
QColor workspace_colour(const Theme& theme);
/// Of all that is too small to be told apart.
QColor rest_colour(const Theme& theme);
/// A band's colour as it is drawn on the canvas.
QColor fill_colour(Band band, const Theme& theme);

}  // namespace stashscope::ui
