#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "ui/widgets/copied_rows.h"

namespace stashscope::ui {

struct TableColumn {
  QString title;
  QString explanation;     ///< tool tip of the header
  bool is_number = false;  ///< aligned to the right
  QString unit = {};       ///< of the exact values, see `exact_role`
};

QVariant alignment_of(const TableColumn& column);
QString bytes_unit();
QString seconds_unit();
/// Header data of a column.
QVariant header_cell(const TableColumn& column, int role);

/// Base of all tables: bounds, headers, alignment. Subclasses supply the cells.
class TableModel : public QAbstractTableModel {
 public:
  /// Item role of the value that rows are sorted by.
  static constexpr int sort_role = Qt::UserRole;

  int rowCount(const QModelIndex& parent = {}) const final;
  int columnCount(const QModelIndex& parent = {}) const final;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const final;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const final;

 protected:
  TableModel(std::vector<TableColumn> columns, QObject* parent);

  virtual int rows() const = 0;
  /// @pre row and column are within bounds
  virtual QVariant cell(int row, int column, int role) const = 0;
  /// To be called when cells may have changed but the rows are the same.
  void cells_changed();

 private:
  std::vector<TableColumn> columns_;
};

}  // namespace stashscope::ui
