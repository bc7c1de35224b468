#include "ui/widgets/popup_keys.h"

#include <QApplication>
#include <QKeyEvent>

namespace stashscope::ui {

bool PopupKeys::eventFilter(QObject*, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return false;
  if (QApplication::activePopupWidget() == nullptr) return false;
  const Qt::KeyboardModifiers modifiers = static_cast<const QKeyEvent*>(event)->modifiers();
  if ((modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0) return false;
  event->accept();
  return true;
}

}  // namespace stashscope::ui
