#pragma once

#include <QMenu>
#include <QToolButton>
#include <functional>

namespace stashscope::ui {

/// Opens the menu below the button on a click or the space key. With QToolButton::setMenu, the open
/// menu would block in a nested event loop.
inline void drop_menu(QToolButton& button, QMenu& menu) {
  QObject::connect(&button, &QToolButton::clicked, &menu, [&button, &menu] {
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()));
  });
}

/// A name as the text of a menu entry: ampersands are doubled, because a single ampersand marks a
/// mnemonic.
inline QString menu_text(QString name) { return name.replace(u'&', QStringLiteral("&&")); }

inline QAction* add_entry(QMenu& menu, const QString& name, const QString& text,
                          std::function<void()> run) {
  QAction* const action = menu.addAction(text);
  action->setObjectName(name);
  QObject::connect(action, &QAction::triggered, &menu, [run = std::move(run)] { run(); });
  return action;
}

/// Removes all entries, and the submenus that `QMenu::clear` leaves behind.
inline void empty_menu(QMenu& menu) {
  menu.clear();
  qDeleteAll(menu.findChildren<QMenu*>(Qt::FindDirectChildrenOnly));
}

}  // namespace stashscope::ui
