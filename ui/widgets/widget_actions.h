#pragma once

#include <QAction>
#include <QToolButton>
#include <functional>

namespace stashscope::ui {

/// Adds an action to the widget: it works by its keys while the widget has the focus, and from the
/// widget's menu of actions.
/// @param tip its tool tip; the keys are appended
QAction* add_widget_action(QWidget& widget, const QString& name, const QString& text,
                           const QKeySequence& keys, const QString& tip, std::function<void()> run);

/// A button for the action, with the action's name and the suffix `_button`.
QToolButton* make_action_button(QAction& action);

}  // namespace stashscope::ui
