#pragma once

#include <QFontMetricsF>
#include <QMarginsF>
#include <QPainter>
#include <QStringList>

#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Room that the texts round a plot need, in pixels.
struct ChartRoom {
  double line = 0;     ///< height of a line of text, with air
  double numbers = 0;  ///< width of numbers of bytes at the left of a plot, with a gap
};

ChartRoom chart_room(const QFontMetricsF& metrics);
/// In the painter's font.
ChartRoom chart_room(const QPainter& painter);

/// What is left of a widget for a plot: a pixel at least, however large the texts are.
QRectF plot_inside(const QRect& widget, const QMarginsF& taken);

/// How many lines of a grid have room in so many pixels, at least 2.
int grid_lines(double pixels, const ChartRoom& room);

/// The first that is no wider than there is room; of the last one, what fits.
QString longest_that_fits(const QStringList& longest_first, const QFontMetricsF& metrics,
                          double width);

/// Parts of a text in one line; where there is no room for all, the longest loses its middle first.
QString in_one_line(QStringList parts, const QFontMetricsF& metrics, double width);

/// Lines at round numbers of bytes, which stand at the left of the plot.
/// @param top bytes at the upper edge
void paint_byte_grid(QPainter& painter, const QRectF& plot, std::int64_t top, const Theme& theme);

}  // namespace stashscope::ui
