#pragma once

#include <QHeaderView>
#include <QModelIndexList>
#include <QString>

namespace stashscope::ui {

/// The rows as tab-separated text for spreadsheets, below a line of column titles. Contains the
/// visible columns in screen order, and a separate column for ticks if there are any. Empty without
/// rows.
QString rows_text(const QModelIndexList& rows, const QHeaderView& header);

}  // namespace stashscope::ui
