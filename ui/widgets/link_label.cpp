#include "ui/widgets/link_label.h"

#include <QEvent>
#include <QStyleOptionFocusRect>
#include <QStylePainter>

namespace stashscope::ui {

void LinkLabel::changeEvent(QEvent* event) {
  QLabel::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  // A link gets its colour when the text is read, and an equal text is not read again.
  const QString same = text();
  clear();
  setText(same);
}

void LinkLabel::paintEvent(QPaintEvent* event) {
  QLabel::paintEvent(event);
  if (!hasFocus()) return;
  QStyleOptionFocusRect option;
  option.initFrom(this);
  QStylePainter(this).drawPrimitive(QStyle::PE_FrameFocusRect, option);
}

}  // namespace stashscope::ui
