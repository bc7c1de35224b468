#pragma once

#include <QColor>
#include <QWidget>
#include <vector>

#include "core/layout/scene/colouring.h"
#include "ui/theme/theme.h"

class QPainter;

namespace stashscope::ui {

/// A part of the colour map, with the bytes of the stashed activations whose lifetime has a colour
/// of this part.
struct LegendPart {
  QString bytes;
  QString words;  ///< bytes and lifetime in words

  friend bool operator==(const LegendPart&, const LegendPart&) = default;
};

/// The meaning of the colours of a drawing, in words.
struct LegendContent {
  QString first;  ///< meaning of the dark end of the colour map; empty without a map
  QString last;   ///< meaning of the bright end
  std::vector<LegendPart> parts;  ///< equal parts of a map of lifetimes; empty for other maps
  std::vector<std::pair<QColor, QString>> states;  ///< meanings of colours, instead of a map

  friend bool operator==(const LegendContent&, const LegendContent&) = default;
};

LegendContent legend_content(const layout::Drawing& drawing, layout::Colouring colouring);

/// Paints the legend on one line: the meaning of the colours, then the meaning of the curves
/// between the columns. Items that do not fit are left out. If there is room, the bytes stand
/// beside each part of the colour map.
void paint_legend(QPainter& painter, const QRectF& room, const LegendContent& content,
                  const Theme& theme, const QFont& font);

/// The meaning of the graph's colours and curves, on one line.
class Legend : public QWidget {
  Q_OBJECT

 public:
  explicit Legend(QWidget* parent = nullptr);

  void set_content(const LegendContent& content);
  const LegendContent& content() const { return content_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {0, 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  LegendContent content_;
};

}  // namespace stashscope::ui
