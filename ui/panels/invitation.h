#pragma once

#include <QAbstractItemView>

namespace stashscope::ui {

/// Draws a sentence into a view that has no rows.
void paint_invitation(QAbstractItemView& view, const QString& invitation);

}  // namespace stashscope::ui
