#include "ui/memory/memory_frame.h"

#include <cmath>

#include "ui/charts/axis_ticks.h"
#include "ui/charts/chart_text.h"
#include "ui/charts/curve_colours.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

/// Approximate distance between numbers below the plot, in heights of a line of text.
constexpr double lines_per_tick = 6;
/// Minimum space on either side of the name of a phase, in pixels.
constexpr double phase_margin = 8;
/// Half the width of the triangle of the cursor, in pixels.
constexpr double cursor_half = 5;
constexpr double life_height = 5;

QColor faded(QColor colour, double alpha) {
  colour.setAlphaF(static_cast<float>(alpha));
  return colour;
}

}  // namespace

double MemoryFrame::y_of(std::int64_t bytes) const {
  return plot.bottom() - plot.height() * static_cast<double>(bytes) / static_cast<double>(top);
}

double MemoryFrame::x_of(std::size_t step) const {
  return axis.x_of(place().position_of(static_cast<double>(step) + 0.5));
}

void MemoryFrame::paint_axis(QPainter& painter) const {
  const double y = plot.bottom() + 3;
  const bool has_two_rows = axis_rows > 1;
  if (has_two_rows || look.unit == AxisUnit::time) paint_ticks(painter, y);
  paint_phases(painter, has_two_rows ? y + chart_room(painter).line : y);
}

void MemoryFrame::paint_ticks(QPainter& painter, double y) const {
  const double text_height = chart_room(painter).line;
  const int count = std::max(1, static_cast<int>(plot.width() / (lines_per_tick * text_height)));
  const auto ticks = look.unit == AxisUnit::time ? time_ticks(axis.first, axis.last, count)
                                                 : step_ticks(axis.first, axis.last, count);
  painter.setPen(theme.muted);
  for (const AxisTick& tick : ticks) {
    const double x = std::round(axis.x_of(tick.position)) + 0.5;
    painter.drawLine(QPointF(x, plot.bottom()), QPointF(x, plot.bottom() + 4));
    const double width = painter.fontMetrics().horizontalAdvance(tick.text) + 2;
    const double left = std::clamp(x - width / 2, plot.left() - 24, plot.right() + 12 - width);
    painter.drawText(QRectF(left, y, width, text_height), Qt::AlignCenter, tick.text);
  }
}

void MemoryFrame::paint_phases(QPainter& painter, double y) const {
  const double text_height = chart_room(painter).line;
  const auto steps = static_cast<double>(curves.current->bytes.size());
  const auto forward_slots = static_cast<double>(curves.current->forward_slots);
  const auto x_at = [&](double step) {
    return std::clamp(axis.x_of(place().position_of(step)), plot.left(), plot.right());
  };
  const double boundary = x_at(forward_slots > 0 ? forward_slots : steps);
  const double update = x_at(
      curves.study == nullptr ? steps : static_cast<double>(curves.study->current->update_slot));
  const double end = x_at(steps);
  painter.setPen(QPen(theme.line, 1));
  for (const double border : {boundary, update}) {
    if (border <= plot.left() || border >= end) continue;
    painter.drawLine(QPointF(border, plot.top()), QPointF(border, plot.bottom() + 4));
    painter.drawLine(QPointF(border, y + 2), QPointF(border, y + text_height - 2));
  }
  if (axis_rows == 1 && look.unit == AxisUnit::time) return;
  painter.setPen(theme.muted);
  const auto write = [&](double from, double to, const QString& text) {
    const QRectF room(from, y, to - from, text_height);
    if (room.width() < painter.fontMetrics().horizontalAdvance(text) + 2 * phase_margin) return;
    painter.drawText(room, Qt::AlignCenter, text);
  };
  write(plot.left(), boundary, tr("forward"));
  write(boundary, std::max(boundary, update), tr("backward"));
  write(std::max(boundary, update), end, tr("update"));
}

QPointF MemoryFrame::paint_peak(QPainter& painter, const MemoryCurve& curve,
                                const QColor& colour) const {
  const CurvePlace own = place_of(curves, curve, look.unit);
  const QPointF at(axis.x_of(own.position_of(static_cast<double>(curve.peak_slot) + 0.5)),
                   y_of(curve.peak_bytes));
  painter.setPen(QPen(theme.canvas, 1.5));
  painter.setBrush(colour);
  painter.drawEllipse(at, 4.5, 4.5);
  return at;
}

void MemoryFrame::paint_peaks(QPainter& painter, std::optional<double> cursor) const {
  for (const PinnedCurve& each : curves.pinned) {
    paint_peak(painter, *each.curve, pinned_colour(each.slot, theme.dark));
  }
  if (curves.baseline->peak_bytes != curves.current->peak_bytes) {
    paint_peak(painter, *curves.baseline, theme.baseline);
  }
  paint_peak_label(painter, paint_peak(painter, *curves.current, theme.accent), cursor);
}

/// Paints the label above and beside the peak, on a background, because other curves may pass
/// there.
void MemoryFrame::paint_peak_label(QPainter& painter, QPointF peak,
                                   std::optional<double> cursor) const {
  if (peak.x() < plot.left() || peak.x() > plot.right()) return;
  const QString text = peak_text();
  const QSizeF size(painter.fontMetrics().horizontalAdvance(text) + 10, chart_room(painter).line);
  const bool fits_right = peak.x() + 6 + size.width() < plot.right();
  const double right = peak.x() + 6;
  const double left = peak.x() - 6 - size.width();
  double x = fits_right ? right : left;
  double y = std::max(plot.top() - 5, peak.y() - 4 - size.height());
  const auto covers = [&](double at) {
    return cursor && y < plot.top() && *cursor > at - cursor_half &&
           *cursor < at + size.width() + cursor_half;
  };
  if (covers(x) && fits_right && left > plot.left()) x = left;
  if (covers(x)) y = plot.top() + 2;
  painter.setPen(Qt::NoPen);
  painter.setBrush(faded(theme.canvas, 0.85));
  painter.drawRoundedRect(QRectF(QPointF(x, y), size), 4, 4);
  painter.setPen(theme.text);
  painter.drawText(QRectF(QPointF(x, y), size), Qt::AlignCenter, text);
}

QString MemoryFrame::peak_text() const {
  const QString peak = bytes_text(curves.current->peak_bytes);
  if (curves.predicted_reserved == nullptr) return tr("peak %1").arg(peak);
  return tr("peak %1, reserved %2").arg(peak, bytes_text(curves.predicted_reserved->peak_bytes));
}

void MemoryFrame::paint_hover(QPainter& painter, std::size_t step) const {
  const double x = x_of(step);
  painter.setPen(QPen(theme.muted, 1));
  painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
}

void MemoryFrame::paint_cursor(QPainter& painter, std::size_t step) const {
  const double x = x_of(step);
  painter.setPen(QPen(theme.text, 1.2));
  painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
  painter.setPen(Qt::NoPen);
  painter.setBrush(theme.text);
  painter.drawPolygon(QPolygonF(
      {{x - cursor_half, plot.top() - 6}, {x + cursor_half, plot.top() - 6}, {x, plot.top()}}));
}

void MemoryFrame::paint_life(QPainter& painter, std::size_t first, std::size_t last) const {
  const double from =
      std::max(plot.left(), axis.x_of(place().position_of(static_cast<double>(first))));
  const double to =
      std::min(plot.right(), axis.x_of(place().position_of(static_cast<double>(last) + 1)));
  if (to < plot.left() || from > plot.right()) return;
  const QRectF bar(from, plot.bottom() - life_height, std::max(2.0, to - from), life_height);
  painter.setPen(QPen(theme.canvas, 1));
  painter.setBrush(theme.accent);
  painter.drawRect(bar);
}

void MemoryFrame::paint_brush(QPainter& painter, double from, double to) const {
  const double left = std::clamp(std::min(from, to), plot.left(), plot.right());
  const double right = std::clamp(std::max(from, to), plot.left(), plot.right());
  painter.setPen(QPen(theme.accent, 1));
  painter.setBrush(faded(theme.accent, 0.15));
  painter.drawRect(QRectF(QPointF(left, plot.top()), QPointF(right, plot.bottom())));
}

}  // namespace stashscope::ui
