#include "ui/models/table_model.h"

#include <QSignalBlocker>
#include <algorithm>

namespace stashscope::ui {

namespace {

/// Number of rows whose values are gathered in one event.
constexpr int rows_an_event = 2048;

}  // namespace

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
    case Qt::InitialSortOrderRole:
      return column.is_number ? Qt::DescendingOrder : Qt::AscendingOrder;
    case exact_role:
      if (!column.exact_titles.isEmpty()) return column.exact_titles;
      if (column.unit.isEmpty()) return {};
      return QStringLiteral("%1 (%2)").arg(column.title, column.unit);
    default:
      return {};
  }
}

TableModel::TableModel(std::vector<TableColumn> columns, QObject* parent)
    : QAbstractTableModel(parent), columns_(std::move(columns)) {
  connect(this, &QAbstractItemModel::modelAboutToBeReset, this, [this] {
    sorter_.reset();
    order_.clear();
  });
  // This connection is made before those of views, so that views see sorted rows after the reset,
  // if there are few enough rows to be sorted at once.
  connect(this, &QAbstractItemModel::modelReset, this, [this] {
    const QSignalBlocker quiet(this);
    if (is_sorted()) sort_again();
  });
}

int TableModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows(); }

int TableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

QVariant TableModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const TableColumn& column = columns_[static_cast<std::size_t>(index.column())];
  if (role == Qt::TextAlignmentRole) return alignment_of(column);
  return cell(first_row(index.row()), index.column(), role);
}

QVariant TableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  return header_cell(columns_[static_cast<std::size_t>(section)], role);
}

void TableModel::cells_changed() {
  if (rows() == 0) return;
  Q_EMIT dataChanged(index(0, 0), index(rows() - 1, columnCount() - 1));
  if (is_sorted()) sort_again();
}

void TableModel::sort(int column, Qt::SortOrder order) {
  sort_column_ = column;
  sort_order_ = order;
  sort_again();
}

QVariant TableModel::sort_value(int row) const {
  for (const int role : {sort_role, exact_role}) {
    QVariant value = cell(row, sort_column_, role);
    if (value.isValid()) return value;
  }
  return cell(row, sort_column_, Qt::DisplayRole);
}

void TableModel::sort_again() {
  sorter_.reset();
  if (!is_sorted()) return show_in({});
  sorter_ = std::make_shared<RowSorter>(sort_order_);
  sort_more();
}

void TableModel::sort_more() {
  const int end = std::min(rows(), sorter_->size() + rows_an_event);
  if (sorter_->size() < end) {
    while (sorter_->size() < end) sorter_->add(sort_value(sorter_->size()));
    sorter_->close_run();
  } else {
    sorter_->merge_runs();
  }
  if (end == rows() && sorter_->is_one_run()) {
    return show_in(arranged(std::move(*std::exchange(sorter_, nullptr)).rows()));
  }
  QMetaObject::invokeMethod(
      this,
      [this, sorter = std::weak_ptr(sorter_)] {
        if (!sorter.expired()) sort_more();
      },
      Qt::QueuedConnection);
}

/// Sorts all rows at once, in a single event. Returns an empty order if the table is unsorted.
std::vector<int> TableModel::order_now() {
  sorter_.reset();
  if (!is_sorted()) return {};
  RowSorter sorter(sort_order_);
  while (sorter.size() < rows()) sorter.add(sort_value(sorter.size()));
  sorter.close_run();
  return arranged(std::move(sorter).rows());
}

int TableModel::row_after_sorting(int row) {
  if (sorter_ == nullptr) return row;
  const int first = first_row(row);
  show_in(order_now());
  if (order_.empty()) return first;
  return static_cast<int>(std::ranges::find(order_, first) - order_.begin());
}

void TableModel::insert_below(int row, int count, const std::function<void()>& change) {
  row = row_after_sorting(row);
  beginInsertRows({}, row + 1, row + count);
  change();
  order_ = order_now();
  endInsertRows();
}

void TableModel::remove_below(int row, int count, const std::function<void()>& change) {
  row = row_after_sorting(row);
  beginRemoveRows({}, row + 1, row + count);
  change();
  order_ = order_now();
  endRemoveRows();
}

/// Selected rows stay selected when they move.
void TableModel::show_in(std::vector<int> order) {
  Q_EMIT layoutAboutToBeChanged({}, VerticalSortHint);
  const QModelIndexList before = persistentIndexList();
  QModelIndexList after;
  std::vector<int> row_of(order.size());
  for (std::size_t row = 0; row < order.size(); ++row) {
    row_of[static_cast<std::size_t>(order[row])] = static_cast<int>(row);
  }
  for (const QModelIndex& each : before) {
    const int first = first_row(each.row());
    after << index(order.empty() ? first : row_of[static_cast<std::size_t>(first)], each.column());
  }
  order_ = std::move(order);
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged({}, VerticalSortHint);
}

}  // namespace stashscope::ui
