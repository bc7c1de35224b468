#pragma once

#include <QHeaderView>
#include <QMenu>

namespace stashscope::ui {

/// Shows no order at first, and lets the third click on a title go back to that.
void allow_no_order(QHeaderView& header);

/// A menu with the columns, for the menu of a table: sorts as a click on the column's title
/// does. Its last entry gives the first order back.
QMenu* make_sort_menu(QWidget& parent, QHeaderView& header);

}  // namespace stashscope::ui
