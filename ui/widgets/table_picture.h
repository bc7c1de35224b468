#pragma once

#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// The rows of a table that are not hidden, from top to bottom.
QModelIndexList shown_rows(const QTableView& table);
/// The rows of a tree that are not inside closed rows, from top to bottom.
QModelIndexList shown_rows(const QTreeView& tree);

/// The titles and the first 100 rows of a table or tree, including rows out of view, with columns
/// as wide as their content. If rows are left out, a last line says how many. Empty without rows.
Picture table_picture(QAbstractItemView& view, const QString& title, const QModelIndexList& rows,
                      const QHeaderView& header);

}  // namespace stashscope::ui
