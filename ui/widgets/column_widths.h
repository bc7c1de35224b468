#pragma once

#include <QHeaderView>

namespace stashscope::ui {

/// Pixels for a header and a row: tables and trees give way in small windows.
constexpr int least_table_height = 44;

/// Makes all columns but the last wider by a factor, as the text in them is.
void grow_columns(QHeaderView& header, double growth);

}  // namespace stashscope::ui
