#pragma once

#include <QHeaderView>
#include <QMenu>

namespace stashscope::ui {

/// Makes a table unsorted at first. The third click on a title makes the table unsorted again.
void allow_no_order(QHeaderView& header);

/// A menu that lists the columns, as a part of the menu of a table. The entry of a column has the
/// same effect as a click on the column's title. The last entry ends the sorting.
QMenu* make_sort_menu(QWidget& parent, QHeaderView& header);

}  // namespace stashscope::ui
