#pragma once

#include <QVariant>
#include <QWidget>

namespace stashscope::ui {

/// Sets which widget of a panel gets the focus when the user goes to the panel. This is not done
/// with a focus proxy, because a focus proxy would change the tab order.
inline void set_main_widget(QWidget& panel, QWidget* main) {
  panel.setProperty("main_widget", QVariant::fromValue(main));
}

/// The widget that `set_main_widget` named for the panel; null if there is none.
inline QWidget* main_widget(const QWidget& panel) {
  return panel.property("main_widget").value<QWidget*>();
}

}  // namespace stashscope::ui
