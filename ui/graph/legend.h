#pragma once

#include <QColor>
#include <QWidget>
#include <vector>

#include "core/layout/scene/colouring.h"
#include "ui/theme/theme.h"

class QPainter;

namespace stashscope::ui {

/// What the colours of a drawing mean, in words.
struct LegendContent {
  QString first;  ///< what the dark end of the colour map stands for; empty where there is no map
  QString last;
  std::vector<std::pair<QColor, QString>> states;  ///< in place of the map

  friend bool operator==(const LegendContent&, const LegendContent&) = default;
};

LegendContent legend_content(const layout::Drawing& drawing, layout::Colouring colouring);

/// On one line, what there is room for, and what the curves between the columns are.
void paint_legend(QPainter& painter, const QRectF& room, const LegendContent& content,
                  const Theme& theme, const QFont& font);

/// What the colours and curves of the graph mean, on one line.
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
