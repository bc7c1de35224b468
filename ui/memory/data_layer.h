#pragma once

#include <QImage>

#include "ui/memory/memory_curves.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Display options of the memory view.
struct MemoryLook {
  enum class Fill { bands, tensors };
  enum class Colouring { lifetime, band };

  Fill fill = Fill::bands;
  Colouring colouring = Colouring::lifetime;  ///< colouring of non-persistent tensors
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

/// The picture inside the plot: the filled bands or tensors, and the curves on top. The time to
/// draw bands and curves depends on the number of pixels, and only logarithmically on the number of
/// slots.
struct DataLayer {
  const MemoryCurves& curves;
  const MemoryLook& look;
  const StepAxis& axis;
  std::int64_t top = 1;  ///< bytes at the upper edge
  BufferId marked;       ///< the outlined tensor; may be invalid
  const Theme& theme;

  /// @param size in device pixels, @param ratio device pixels for each pixel of the widget
  /// @pre the curves are not empty
  QImage draw(const QSize& size, double ratio) const;
};

/// Colour of the workspace that a run measured.
QColor workspace_colour(const Theme& theme);
/// Colours of the line of reserved memory, and of the hatching between this line and the tensors.
QColor reserved_colour(const Theme& theme);
QColor hatch_colour(const Theme& theme);
/// Colour of the tensors that are too small to be drawn one by one.
QColor rest_colour(const Theme& theme);
/// A band's colour as it is drawn on the canvas.
QColor fill_colour(Band band, const Theme& theme);

}  // namespace stashscope::ui
