#pragma once

#include <QColor>
#include <QFontMetricsF>
#include <QPainter>
#include <vector>

#include "core/layout/scene/colouring.h"
#include "ui/theme/theme.h"

namespace stashscope::ui {

/// A part of the colour map, and the bytes of the stashed activations that are drawn in the colours
/// of this part.
struct LegendPart {
  QString bytes;
  QString words;  ///< states the bytes and the longest lifetime

  friend bool operator==(const LegendPart&, const LegendPart&) = default;
};

/// The meaning of the colours of a drawing, in words.
struct LegendContent {
  QString first;  ///< meaning of the dark end of the colour map; empty without a map
  QString last;
  std::vector<LegendPart> parts;  ///< equal parts of the colour map; empty without a map
  std::vector<std::pair<QColor, QString>> states;  ///< colours and their meanings; empty with a map

  friend bool operator==(const LegendContent&, const LegendContent&) = default;
};

LegendContent legend_content(const layout::Drawing& drawing, layout::Colouring colouring);

/// A piece of a legend: a mark, then text.
struct LegendItem {
  enum class Mark { none, map, swatch, curve };

  Mark mark = Mark::none;
  QString text;
  QColor colour = {};  ///< of a swatch
  double first = 0;    ///< from 0 to 1: the part of the colour map that the mark shows
  double last = 1;
  double mark_width = 0;
};

/// The meaning of colours and of the curves between the columns, in as many rows as needed. If
/// there is no room for all rows, first the parts of the colour map are left out, then the last
/// items.
class LegendLayout {
 public:
  LegendLayout(const LegendContent& content, const QFontMetricsF& metrics, double width,
               std::size_t most_rows);

  double height() const;
  const std::vector<LegendItem>& items() const { return items_; }
  void paint(QPainter& painter, QPointF top_left, const Theme& theme) const;

 private:
  bool take(std::vector<LegendItem> items, const QFontMetricsF& metrics, double width,
            std::size_t most_rows);

  double row_height_;
  std::vector<LegendItem> items_;
  std::vector<QRectF> places_;  // of the items
};

}  // namespace stashscope::ui
