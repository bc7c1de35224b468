#pragma once

#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include "ui/pictures/picture.h"

namespace stashscope::ui {

/// The rows of a table, and those of a tree that are not inside closed rows, from top to bottom.
QModelIndexList shown_rows(const QTableView& table);
QModelIndexList shown_rows(const QTreeView& tree);

/// The titles and the first rows of a table or tree, also those out of sight, with columns as wide
/// as their content. A last line says how many rows are left out. Empty without rows.
Picture table_picture(QAbstractItemView& view, const QString& title, const QModelIndexList& rows,
                      const QHeaderView& header);

}  // namespace stashscope::ui
