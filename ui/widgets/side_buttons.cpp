#include "ui/widgets/side_buttons.h"

#include <QMouseEvent>
#include <QWidget>

#include "ui/widgets/floating.h"

namespace stashscope::ui {

SideButtons::SideButtons(QAction& back, QAction& forward, QWidget* window)
    : QObject(window), back_(back), forward_(forward), window_(*window) {}

bool SideButtons::eventFilter(QObject* watched, QEvent* event) {
  // Qt reports the second of two quick clicks as a double click, so a double click must act like a
  // click.
  const bool is_press =
      event->type() == QEvent::MouseButtonPress || event->type() == QEvent::MouseButtonDblClick;
  if (!is_press) return false;
  const auto* const widget = qobject_cast<QWidget*>(watched);
  if (widget == nullptr || !is_part_of(*widget, window_)) return false;
  const Qt::MouseButton button = static_cast<QMouseEvent*>(event)->button();
  if (button != Qt::BackButton && button != Qt::ForwardButton) return false;
  (button == Qt::BackButton ? back_ : forward_).trigger();
  return true;
}

}  // namespace stashscope::ui
