#pragma once

#include <QHeaderView>

namespace stashscope::ui {

/// Minimum height of tables and trees in pixels: a header and one row, so that they can shrink in
/// small windows.
constexpr int least_table_height = 40;

/// Multiplies the widths of all columns except the last by `growth`.
void grow_columns(QHeaderView& header, double growth);

}  // namespace stashscope::ui
