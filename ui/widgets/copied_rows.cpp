#include "ui/widgets/copied_rows.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

namespace stashscope::ui {

namespace {

using namespace Qt::StringLiterals;

struct CopiedRows {
  Q_DECLARE_TR_FUNCTIONS(CopiedRows)
};

std::vector<int> columns_of(const QHeaderView& header) {
  std::vector<int> columns;
  for (int place = 0; place < header.count(); ++place) {
    const int column = header.logicalIndex(place);
    if (!header.isSectionHidden(column)) columns.push_back(column);
  }
  return columns;
}

/// The text without tabs and line ends, which would split the copied cell.
QString cell_text(const QModelIndex& index) { return index.data().toString().simplified(); }

QString tick_text(const QModelIndex& index) {
  const QVariant state = index.data(Qt::CheckStateRole);
  if (!state.isValid()) return {};
  switch (state.toInt()) {
    case Qt::Checked:
      return CopiedRows::tr("on");
    case Qt::Unchecked:
      return CopiedRows::tr("off");
    default:
      return CopiedRows::tr("partly");
  }
}

}  // namespace

QString rows_text(const QModelIndexList& rows, const QHeaderView& header) {
  if (rows.isEmpty()) return {};
  const std::vector<int> columns = columns_of(header);
  const bool has_ticks = std::ranges::any_of(rows, [](const QModelIndex& row) {
    return row.siblingAtColumn(0).data(Qt::CheckStateRole).isValid();
  });
  QStringList line;
  if (has_ticks) line << CopiedRows::tr("On");
  for (const int column : columns) {
    line << header.model()->headerData(column, Qt::Horizontal).toString();
  }
  QString text = line.join(u'\t') + u'\n';
  for (const QModelIndex& row : rows) {
    line.clear();
    if (has_ticks) line << tick_text(row.siblingAtColumn(0));
    for (const int column : columns) line << cell_text(row.siblingAtColumn(column));
    text += line.join(u'\t') + u'\n';
  }
  return text;
}

}  // namespace stashscope::ui
