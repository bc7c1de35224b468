#pragma once

#include <QString>

namespace stashscope::ui {

/// Enables a control, or disables it with the reason as its tool tip.
/// @param tip tool tip of the enabled control
/// @param why reason to disable the control; empty: it is enabled
template <class WidgetOrAction>
void enable_unless(WidgetOrAction& control, const QString& why, const QString& tip) {
  control.setEnabled(why.isEmpty());
  control.setToolTip(why.isEmpty() ? tip : why);
}

}  // namespace stashscope::ui
