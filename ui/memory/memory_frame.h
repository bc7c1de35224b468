#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <optional>

#include "ui/memory/data_layer.h"

namespace stashscope::ui {

/// Paints what surrounds and overlays the curves of the memory view: axis, phases, peaks, hovered
/// slot, cursor, and the range of a drag. Holds references to members of the view.
/// @pre the curves are not empty
struct MemoryFrame {
  Q_DECLARE_TR_FUNCTIONS(MemoryFrame)

 public:
  const MemoryCurves& curves;
  const MemoryLook& look;
  const StepAxis& axis;
  std::int64_t top = 1;  ///< bytes at the upper edge of the plot
  QRectF plot;
  Theme theme;
  int axis_rows = 1;  ///< rows of text below the plot, 1 or 2

  double y_of(std::int64_t bytes) const;
  /// The pixel in the middle of a slot of the current curve.
  double x_of(std::size_t step) const;

  /// Paints numbers and phases below the plot. If there is room for one row only, an axis of slots
  /// shows the phases and an axis of time the numbers.
  void paint_axis(QPainter& painter) const;
  /// @param cursor x of the cursor, whose triangle the label of the peak must not cover
  void paint_peaks(QPainter& painter, std::optional<double> cursor = std::nullopt) const;
  /// A bar above the axis over the slots in which a tensor is alive.
  void paint_life(QPainter& painter, std::size_t first, std::size_t last) const;
  void paint_hover(QPainter& painter, std::size_t step) const;
  void paint_cursor(QPainter& painter, std::size_t step) const;
  /// Paints the range of pixels that the view zooms to when the mouse button is released.
  void paint_brush(QPainter& painter, double from, double to) const;

 private:
  CurvePlace place() const { return place_of(curves, *curves.current, look.unit); }
  QPointF paint_peak(QPainter& painter, const MemoryCurve& curve, const QColor& colour) const;
  void paint_peak_label(QPainter& painter, QPointF peak, std::optional<double> cursor) const;
  QString peak_text() const;
  void paint_ticks(QPainter& painter, double y) const;
  void paint_phases(QPainter& painter, double y) const;
};

}  // namespace stashscope::ui
