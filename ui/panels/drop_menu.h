#pragma once

#include <QMenu>
#include <QToolButton>

namespace stashscope::ui {

/// A click or the space key on the button opens the menu below it. Unlike a menu that is set on the
/// button, the event loop goes on.
inline void drop_menu(QToolButton& button, QMenu& menu) {
  QObject::connect(&button, &QToolButton::clicked, &menu, [&button, &menu] {
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()));
  });
}

/// Empties a menu of its entries and of the menus in it, which `clear` leaves behind.
inline void empty_menu(QMenu& menu) {
  menu.clear();
  qDeleteAll(menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
}

}  // namespace stashscope::ui
