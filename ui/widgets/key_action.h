#pragma once

#include <QAction>
#include <QWidget>
#include <functional>

namespace stashscope::ui {

/// Keys that do something while `widget` has the focus; the sheet of shortcuts lists them, and the
/// palette offers them while they are enabled.
inline QAction* add_key_action(QWidget& widget, const QString& text,
                               const QList<QKeySequence>& keys, const std::function<void()>& run) {
  auto* const action = new QAction(text, &widget);
  action->setShortcuts(keys);
  action->setShortcutContext(Qt::WidgetShortcut);
  QObject::connect(action, &QAction::triggered, &widget, run);
  widget.addAction(action);
  return action;
}

/// Tells the sheet of a key that the widget takes itself, where the window has it as well.
inline void tell_key(QAction& action, const QKeySequence& key) {
  action.setProperty("told_key", key);
}

inline QKeySequence told_key(const QAction& action) {
  return action.property("told_key").value<QKeySequence>();
}

/// All keys of a widget, those that others gave it aside.
inline void enable_keys(const QWidget& widget, bool enabled) {
  for (QAction* const action : widget.actions()) {
    if (action->parent() == &widget) action->setEnabled(enabled);
  }
}

}  // namespace stashscope::ui
