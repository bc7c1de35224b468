#pragma once

#include <QAbstractItemView>

namespace stashscope::ui {

/// Writes what a view without rows invites to.
void paint_invitation(QAbstractItemView& view, const QString& invitation);

}  // namespace stashscope::ui
