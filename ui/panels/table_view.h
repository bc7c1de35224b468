#pragma once

#include <QTableView>

#include "ui/panels/cell_delegate.h"

namespace stashscope::ui {

/// How all tables look and behave: whole rows, sorted by a click on a header, a sentence where
/// there are no rows.
class TableView : public QTableView {
  Q_OBJECT

 public:
  explicit TableView(QWidget* parent = nullptr);

  /// What is said while the table is empty.
  void set_invitation(const QString& invitation);
  void cut_at_end(std::initializer_list<int> columns) { cells_->cut_at_end(columns); }
  /// The width that shows all of a column, in pixels.
  int width_of_contents(int column) const;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  CellDelegate* cells_;
  QString invitation_;
};

}  // namespace stashscope::ui
