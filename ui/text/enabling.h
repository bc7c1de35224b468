#pragma once

#include <QString>

namespace stashscope::ui {

/// A control that cannot be used says why.
/// @param tip its tool tip while it can be used
/// @param why empty: it can be used
template <class WidgetOrAction>
void enable_unless(WidgetOrAction& control, const QString& why, const QString& tip) {
  control.setEnabled(why.isEmpty());
  control.setToolTip(why.isEmpty() ? tip : why);
}

}  // namespace stashscope::ui
