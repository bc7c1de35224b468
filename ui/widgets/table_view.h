#pragma once

#include <QTableView>

#include "ui/widgets/cell_delegate.h"

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
  /// This column is as wide as its content if the others leave room for that.
  /// @param least pixels that it keeps in any case
  /// @param least_last pixels that the last column is to keep
  void set_flexible_column(int column, int least, int least_last);

  /// The last column beside a flexible one is never narrower than its content either.
  void keep_last_whole();

  void setModel(QAbstractItemModel* model) override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct FlexibleColumn {
    int column = -1;
    int least = 0;
    int least_last = 0;
    bool last_is_whole = false;
  };

  void fit_flexible_column();
  /// As wide as what is in it, in pixels.
  int content_width(int column) const;
  /// As high as their text needs.
  void fit_rows();
  /// As wide for larger text as they were made for the system's.
  void fit_columns();

  CellDelegate* cells_;
  FlexibleColumn flexible_;
  double text_scale_ = 1;  ///< that the columns have room for
  QString invitation_;
};

}  // namespace stashscope::ui
