#pragma once

#include <QAction>
#include <QToolButton>
#include <functional>

namespace stashscope::ui {

/// Something that can be done in a widget: by its keys while the widget has the focus, and in the
/// widget's menu of actions.
/// @param tip its tool tip, to which the keys are added
QAction* add_widget_action(QWidget& widget, const QString& name, const QString& text,
                           const QKeySequence& keys, const QString& tip, std::function<void()> run);

/// The same by the mouse; its name is that of the action and `_button`.
QToolButton* make_action_button(QAction& action);

}  // namespace stashscope::ui
