#pragma once

#include <QFontMetricsF>
#include <QMarginsF>
#include <QPainter>
#include <QStringList>

#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Space for the texts around a plot, in pixels.
struct ChartRoom {
  double line = 0;     ///< height of a line of text, spacing included
  double numbers = 0;  ///< width of the byte numbers left of a plot, with a gap
};

ChartRoom chart_room(const QFontMetricsF& metrics);
/// The space for texts in the painter's font.
ChartRoom chart_room(const QPainter& painter);

/// The part of a widget that is left for the plot inside the margins `taken`. It is at least one
/// pixel wide and high.
QRectF plot_inside(const QRect& widget, const QMarginsF& taken);

/// Number of grid lines that fit into a height of `pixels`, at least 2.
int grid_lines(double pixels, const ChartRoom& room);

/// The first text that fits into `width`. If no text fits, the last text, elided.
QString longest_that_fits(const QStringList& longest_first, const QFontMetricsF& metrics,
                          double width);

/// Joins the parts to one line of at most `width` pixels. If the line is too long, its longest part
/// is elided. If that is not enough, parts are left out from the end. If the first two parts are
/// still too long, the whole line is elided.
QString in_one_line(QStringList parts, const QFontMetricsF& metrics, double width);

/// Paints grid lines at round numbers of bytes, with the numbers left of the plot.
/// @param top bytes at the upper edge
void paint_byte_grid(QPainter& painter, const QRectF& plot, std::int64_t top, const Theme& theme);

}  // namespace stashscope::ui
