#include "ui/widgets/elided_label.h"

#include <QPainter>

namespace stashscope::ui {

namespace {

constexpr int least_width = 48;

}  // namespace

QSize ElidedLabel::minimumSizeHint() const {
  return {least_width, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(foregroundRole()));
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(text(), Qt::ElideMiddle, width()));
}

}  // namespace stashscope::ui
