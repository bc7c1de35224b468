#pragma once

#include <QAction>
#include <QToolButton>
#include <functional>

namespace stashscope::ui {

/// Adds an action to the widget. Its keys work while the widget has the focus, and the widget's
/// menu of actions lists it.
/// @param tip tool tip of the action; the keys are appended
QAction* add_widget_action(QWidget& widget, const QString& name, const QString& text,
                           const QKeySequence& keys, const QString& tip, std::function<void()> run);

/// A button for the action. The object name of the button is the action's object name followed by
/// `_button`.
QToolButton* make_action_button(QAction& action);

}  // namespace stashscope::ui
