#include "ui/models/table_model.h"

namespace stashscope::ui {

QVariant alignment_of(const TableColumn& column) {
  const Qt::Alignment side = column.is_number ? Qt::AlignRight : Qt::AlignLeft;
  return QVariant::fromValue(side | Qt::AlignVCenter);
}

QString bytes_unit() { return QStringLiteral("bytes"); }

QString seconds_unit() { return QStringLiteral("seconds"); }

QVariant header_cell(const TableColumn& column, int role) {
  switch (role) {
    case Qt::DisplayRole:
      return column.title;
    case Qt::ToolTipRole:
      return column.explanation;
    case Qt::TextAlignmentRole:
      return alignment_of(column);
    case exact_role:
      if (column.unit.isEmpty()) return {};
      return QStringLiteral("%1 (%2)").arg(column.title, column.unit);
    default:
      return {};
  }
}

TableModel::TableModel(std::vector<TableColumn> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)) {}

int TableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows(); }

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const TableColumn& column = columns_[static_cast<std::size_t>(index.column())];
  if (role == Qt::TextAlignmentRole) return alignment_of(column);
  return cell(index.row(), index.column(), role);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  return header_cell(columns_[static_cast<std::size_t>(section)], role);
}

void TableModel::cells_changed() {
  if (rows() == 0) return;
  Q_EMIT dataChanged(index(0, 0), index(rows() - 1, columnCount() - 1));
}

}  // namespace stashscope::ui
