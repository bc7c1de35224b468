#include "ui/widgets/vertical_scroll_area.h"

#include <QEvent>
#include <QScrollBar>
#include <utility>

namespace stashscope::ui {

VerticalScrollArea::VerticalScrollArea(QWidget* content) {
  setWidget(content);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

QSize VerticalScrollArea::minimumSizeHint() const {
  const int width = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width() +
                    2 * frameWidth();
  return {width, QScrollArea::minimumSizeHint().height()};
}

bool VerticalScrollArea::eventFilter(QObject* watched, QEvent* event) {
  if (watched == widget() && event->type() == QEvent::LayoutRequest) {
    const int least = widget()->minimumSizeHint().width();
    if (std::exchange(content_width_, least) != least) updateGeometry();
  }
  return QScrollArea::eventFilter(watched, event);
}

}  // namespace stashscope::ui
