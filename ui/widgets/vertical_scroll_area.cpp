#include "ui/widgets/vertical_scroll_area.h"

#include <QApplication>
#include <QEvent>
#include <QScrollBar>
#include <utility>

namespace stashscope::ui {

VerticalScrollArea::VerticalScrollArea(QWidget* content) {
  setWidget(content);
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(qApp, &QApplication::focusChanged, this,
          [this](const QWidget*, QWidget* now) { follow(now); });
}

/// Does not scroll while a mouse button is pressed, so that the pressed widget stays under the
/// pointer.
void VerticalScrollArea::follow(QWidget* focus) {
  if (focus == nullptr || QGuiApplication::mouseButtons() != Qt::NoButton) return;
  if (widget()->isAncestorOf(focus)) ensureWidgetVisible(focus);
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
