#pragma once

#include <QAbstractTableModel>
#include <functional>
#include <memory>
#include <vector>

#include "ui/models/row_sorter.h"
#include "ui/widgets/copied_rows.h"

namespace stashscope::ui {

struct TableColumn {
  QString title;
  QString explanation;     ///< tool tip of the header
  bool is_number = false;  ///< aligned to the right; a first click sorts the largest to the top
  QString unit = {};       ///< unit of the exact values, see `exact_role`
  QStringList exact_titles = {};  ///< one title for each item, if the exact values are lists
};

QVariant alignment_of(const TableColumn& column);
QString bytes_unit();
QString seconds_unit();
/// Header data of a column for an item role; empty for roles that headers do not have.
QVariant header_cell(const TableColumn& column, int role);

/// Base class of table models. It checks bounds, supplies headers and alignment, and sorts the
/// rows; subclasses supply the cells. The order in which a subclass numbers its rows is called the
/// first order.
class TableModel : public QAbstractTableModel {
 public:
  /// Item role of the value that rows are sorted by, if it is neither the exact value nor the text.
  static constexpr int sort_role = Qt::UserRole;

  int rowCount(const QModelIndex& parent = {}) const final;
  int columnCount(const QModelIndex& parent = {}) const final;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final;
  /// Sorts the rows by a column, also after the rows change. Thousands of rows are sorted in
  /// several events. Column -1 restores the first order.
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) final;

 protected:
  TableModel(std::vector<TableColumn> columns, QObject* parent);

  virtual int rows() const = 0;
  /// @param row in the first order
  /// @pre row and column are within bounds
  virtual QVariant cell(int row, int column, int role) const = 0;
  /// Call this when cells may have changed but the rows are the same.
  void cells_changed();
  /// The number that a row of the table has in the first order.
  int first_row(int row) const {
    return order_.empty() ? row : order_[static_cast<std::size_t>(row)];
  }
  bool is_sorted() const { return sort_column_ >= 0; }
  /// The sorted rows, rearranged such that rows that belong together follow each other. `order` and
  /// the result have the numbers of the rows in the first order.
  virtual std::vector<int> arranged(const std::vector<int>& order) const { return order; }
  /// Inserts `count` rows below a row of the table. `change` adds them to the data of the subclass.
  void insert_below(int row, int count, const std::function<void()>& change);
  /// Removes the `count` rows below a row of the table. `change` removes them from the data of the
  /// subclass.
  void remove_below(int row, int count, const std::function<void()>& change);

 private:
  std::vector<int> order_now();
  /// If the rows are being sorted, finishes sorting at once. Returns the new place of a row of the
  /// table.
  int row_after_sorting(int row);
  QVariant sort_value(int row) const;
  void sort_again();
  void sort_more();
  void show_in(std::vector<int> order);

  std::vector<TableColumn> columns_;
  int sort_column_ = -1;
  Qt::SortOrder sort_order_ = Qt::AscendingOrder;
  std::vector<int> order_;  ///< row numbers of the first order, sorted; empty: not sorted
  std::shared_ptr<RowSorter> sorter_;  ///< null while no rows are being sorted
};

}  // namespace stashscope::ui
