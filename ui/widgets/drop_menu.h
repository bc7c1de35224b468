#pragma once

#include <QMenu>
#include <QToolButton>
#include <functional>

namespace stashscope::ui {

/// A click or the space key on the button opens the menu below it. Unlike a menu that is set on the
/// button, the event loop goes on.
inline void drop_menu(QToolButton& button, QMenu& menu) {
  QObject::connect(&button, &QToolButton::clicked, &menu, [&button, &menu] {
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()));
  });
}

/// A name as an entry of a menu, where a lone ampersand would mark a key.
inline QString menu_text(QString name) { return name.replace(u'&', QStringLiteral("&&")); }

inline QAction* add_entry(QMenu& menu, const QString& name, const QString& text,
                          std::function<void()> run) {
  QAction* const action = menu.addAction(text);
  action->setObjectName(name);
  QObject::connect(action, &QAction::triggered, &menu, [run = std::move(run)] { run(); });
  return action;
}

/// Empties a menu of its entries and of the menus in it, which `clear` leaves behind.
inline void empty_menu(QMenu& menu) {
  menu.clear();
  qDeleteAll(menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
}

}  // namespace stashscope::ui
