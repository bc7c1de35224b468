#pragma once

#include <QAction>
#include <QWidget>
#include <functional>

namespace stashscope::ui {

/// Keys that do something while `widget` has the focus; the sheet of shortcuts lists them.
inline void add_key_action(QWidget& widget, const QString& text, const QList<QKeySequence>& keys,
                           const std::function<void()>& run) {
  auto* const action = new QAction(text, &widget);
  action->setShortcuts(keys);
  action->setShortcutContext(Qt::WidgetShortcut);
  QObject::connect(action, &QAction::triggered, &widget, run);
  widget.addAction(action);
}

}  // namespace stashscope::ui
