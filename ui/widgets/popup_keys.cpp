#include "ui/widgets/popup_keys.h"

#include <QApplication>
#include <QKeyEvent>

namespace stashscope::ui {

namespace {

/// Whether the key chooses an entry or closes the list. Qt's lists of choices take these keys
/// before they become shortcuts.
bool chooses(int key) {
  return key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Select ||
         key == Qt::Key_Escape;
}

}  // namespace

bool PopupKeys::eventFilter(QObject*, QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride) return false;
  if (QApplication::activePopupWidget() == nullptr) return false;
  const auto* const key = static_cast<const QKeyEvent*>(event);
  if (chooses(key->key())) return false;
  const Qt::KeyboardModifiers modifiers = key->modifiers();
  if ((modifiers & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0) return false;
  event->accept();
  return true;
}

}  // namespace stashscope::ui
