#pragma once

#include <QAbstractItemView>

namespace stashscope::ui {

/// Paints the sentence that a view shows while it has no rows.
void paint_invitation(QAbstractItemView& view, const QString& invitation);

}  // namespace stashscope::ui
