#include "ui/charts/chart_text.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/byte_axis.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

constexpr double air = 4;
constexpr double gap = 8;
/// Minimum width of the elided part of a line, in pixels.
constexpr double least_part = 40;
/// Minimum distance between two grid lines, as a multiple of the height of a line of text.
constexpr double lines_per_grid = 2.5;

}  // namespace

ChartRoom chart_room(const QFontMetricsF& metrics) {
  return {std::ceil(metrics.height()) + air,
          std::ceil(metrics.horizontalAdvance(u"888.8 MiB"_s)) + gap + air};
}

ChartRoom chart_room(const QPainter& painter) {
  return chart_room(QFontMetricsF(painter.fontMetrics()));
}

QRectF plot_inside(const QRect& widget, const QMarginsF& taken) {
  QRectF plot = widget.toRectF().marginsRemoved(taken);
  plot.setSize(plot.size().expandedTo({1, 1}));
  return plot;
}

int grid_lines(double pixels, const ChartRoom& room) {
  return std::max(2, static_cast<int>(pixels / (lines_per_grid * room.line)));
}

QString longest_that_fits(const QStringList& longest_first, const QFontMetricsF& metrics,
                          double width) {
  for (const QString& text : longest_first) {
    if (metrics.horizontalAdvance(text) <= width) return text;
  }
  return longest_first.isEmpty() ? QString()
                                 : metrics.elidedText(longest_first.back(), Qt::ElideMiddle, width);
}

QString in_one_line(QStringList parts, const QFontMetricsF& metrics, double width) {
  const auto width_of = [&](const QString& text) { return metrics.horizontalAdvance(text); };
  const auto in_line = [&] { return parts.join(u"   "_s); };
  const auto lacking = [&] { return std::ceil(width_of(in_line()) - width); };
  const auto longest = [&] { return std::ranges::max_element(parts, {}, width_of); };
  // An amount that is cut short would be read as another amount, so rather whole parts are left
  // out.
  while (lacking() > 0 && parts.size() > 2 && width_of(*longest()) - lacking() < least_part) {
    parts.removeLast();
  }
  if (lacking() > 0) {
    const double room = std::max(least_part, width_of(*longest()) - lacking());
    *longest() = metrics.elidedText(*longest(), Qt::ElideMiddle, room);
  }
  return metrics.elidedText(in_line(), Qt::ElideMiddle, width);
}

void paint_byte_grid(QPainter& painter, const QRectF& plot, std::int64_t top, const Theme& theme) {
  const ChartRoom room = chart_room(painter);
  QColor faint = theme.line;
  faint.setAlphaF(0.7f);
  double free_above = plot.bottom() + room.line;  // the next number must lie above this y
  for (const ByteTick& tick : byte_ticks(top, grid_lines(plot.height(), room))) {
    const double share = static_cast<double>(tick.bytes) / static_cast<double>(top);
    const double y = std::round(plot.bottom() - plot.height() * share) + 0.5;
    painter.setPen(tick.bytes == 0 ? theme.muted : faint);
    painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
    const QRectF place(0, y - room.line / 2, plot.left() - gap, room.line);
    if (place.bottom() - air > free_above) continue;
    free_above = place.top();
    painter.setPen(theme.muted);
    painter.drawText(place, Qt::AlignRight | Qt::AlignVCenter, shown(tick.text));
  }
}

}  // namespace stashscope::ui
