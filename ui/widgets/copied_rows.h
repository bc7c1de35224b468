#pragma once

#include <QHeaderView>
#include <QModelIndexList>
#include <QString>

namespace stashscope::ui {

/// The rows as tab-separated text under the titles of the columns, for spreadsheets: visible
/// columns in their order on the screen; ticks as a column of their own where there are any. Empty
/// without rows.
QString rows_text(const QModelIndexList& rows, const QHeaderView& header);

}  // namespace stashscope::ui
