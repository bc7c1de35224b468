#pragma once

#include <QTreeView>
#include <set>

#include "ui/pictures/picture.h"

namespace stashscope::ui {

class PlanNameDelegate;

/// The tree of plans. Several rows can be selected: Space switches their plans on or off, Ctrl+C
/// copies the rows. Open rows stay open when the rows are replaced.
class PlanTreeView : public QTreeView, public PictureSource {
  Q_OBJECT

 public:
  explicit PlanTreeView(QWidget* parent = nullptr);

  /// The text shown while there are no rows.
  void set_invitation(const QString& invitation);
  void setModel(QAbstractItemModel* model) override;
  /// Opens the rows that the user opened, and the rows that are open by default unless the user
  /// closed them. Under a filter, also opens rows that do not match the filter themselves, such as
  /// the rows above a match.
  void open_again();
  /// The selected rows from top to bottom, as indexes of the first column.
  QModelIndexList selected_rows() const;
  /// The rows on the screen from top to bottom, as indexes of the first column.
  QModelIndexList rows_in_view() const;
  /// Selects a row, scrolls it to the middle of the view and gives it the keyboard focus.
  void show_row(const QModelIndex& row);
  /// Selects a row and scrolls to it. The keyboard focus stays where it is.
  void lead_to(const QModelIndex& row);

  Picture picture(const QString& title) override;
  void gather_data(const DataTaker& take) override;
  bool has_picture() override;

 Q_SIGNALS:
  void switch_wanted();  ///< the user wants to switch the selected rows
  void copy_wanted();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QString key(const QModelIndex& index) const;
  void open_again(const QModelIndex& parent);
  bool is_to_be_open(const QModelIndex& index) const;
  void edit_count(const QModelIndex& index);
  void fit_first_column();
  /// Fits all columns to the text size.
  void fit_columns();

  PlanNameDelegate* names_;
  QString invitation_;
  std::set<QString> opened_;  ///< keys of items that the user opened
  std::set<QString> closed_;  ///< keys of items that the user closed
  bool opening_ = false;
  double text_scale_ = 1;  ///< text scale that the columns are sized for
};

}  // namespace stashscope::ui
