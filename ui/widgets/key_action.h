#pragma once

#include <QAction>
#include <QWidget>
#include <functional>

namespace stashscope::ui {

/// Adds keys that work while `widget` has the focus. The shortcut sheet lists them, and the command
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

/// Lists a key on the shortcut sheet. Needed for a key that the widget handles itself, because the
/// window has a shortcut with the same key.
inline void tell_key(QAction& action, const QKeySequence& key) {
  action.setProperty("told_key", key);
}

inline QKeySequence told_key(const QAction& action) {
  return action.property("told_key").value<QKeySequence>();
}

/// Adds words by which the command palette and the shortcut sheet find the action, in addition to
/// its text.
inline void add_search_words(QAction& action, const QString& words) {
  action.setProperty("search_words", words);
}

inline QString search_words(const QAction& action) {
  return action.property("search_words").toString();
}

/// Enables or disables the keys that the widget added itself. Keys that other objects added to the
/// widget do not change.
inline void enable_keys(const QWidget& widget, bool enabled) {
  for (QAction* const action : widget.actions()) {
    if (action->parent() == &widget) action->setEnabled(enabled);
  }
}

}  // namespace stashscope::ui
