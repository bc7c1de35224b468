#pragma once

#include <QColor>
#include <QWidget>
#include <vector>

#include "core/layout/scene/colouring.h"
#include "ui/theme/theme.h"

class QPainter;

namespace stashscope::ui {

/// A part of the colour map, and the bytes of stashed activations whose lifetime has its colours.
struct LegendPart {
  QString bytes;
  QString words;  ///< with the lifetime

  friend bool operator==(const LegendPart&, const LegendPart&) = default;
};

/// The meaning of the colours of a drawing, in words.
struct LegendContent {
  QString first;  ///< meaning of the dark end of the colour map; empty without a map
  QString last;
  std::vector<LegendPart> parts;  ///< equal parts of the map; empty for other quantities
  std::vector<std::pair<QColor, QString>> states;  ///< used instead of the map

  friend bool operator==(const LegendContent&, const LegendContent&) = default;
};

LegendContent legend_content(const layout::Drawing& drawing, layout::Colouring colouring);

/// Paints as much of the legend as fits on one line, and the meaning of the curves between the
/// columns. The parts of the map have their bytes if there is room.
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
