#include "ui/widgets/elided_label.h"

#include <QPainter>

namespace stashscope::ui {

namespace {

constexpr int least_width = 48;

}  // namespace

void ElidedLabel::set_forms(const QStringList& longest_first) {
  shorter_ = longest_first.mid(1);
  setText(longest_first.front());
  update();
}

QString ElidedLabel::shown_form() const {
  QString form = text();
  for (const QString& shorter : shorter_) {
    if (fontMetrics().horizontalAdvance(form) <= width()) break;
    form = shorter;
  }
  return form;
}

QSize ElidedLabel::minimumSizeHint() const {
  return {least_width, QLabel::minimumSizeHint().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setPen(palette().color(foregroundRole()));
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                   fontMetrics().elidedText(shown_form(), Qt::ElideMiddle, width()));
}

}  // namespace stashscope::ui
