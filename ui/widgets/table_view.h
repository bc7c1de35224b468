#pragma once

#include <QTableView>

#include "ui/pictures/picture.h"
#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui {

/// Common look and behaviour of all tables: a click selects a whole row, and an invitation is shown
/// while there are no rows. Space activates the current row, as Return does; Home and End go to the
/// first and to the last row.
class TableView : public QTableView, public PictureSource {
  Q_OBJECT

 public:
  explicit TableView(QWidget* parent = nullptr);

  /// The text shown while the table is empty.
  void set_invitation(const QString& invitation);
  const QString& invitation() const { return invitation_; }

  Picture picture(const QString& title) override;
  void gather_data(const DataTaker& take) override;
  bool has_picture() override;
  void cut_at_end(std::initializer_list<int> columns) { cells_->cut_at_end(columns); }
  /// Makes the column as wide as its content if the other columns leave enough room.
  /// @param least minimum width of the column in pixels
  /// @param least_last width in pixels that is reserved for the last column
  void set_flexible_column(int column, int least, int least_last);

  /// Never makes the flexible column narrower for other content, so that the columns beside it stay
  /// in place. Has an effect only with a flexible column.
  void keep_flexible_width();
  /// Lets the flexible column fit its content anew, for example because another model was opened.
  void forget_flexible_width() { flexible_.widest = 0; }

  /// Makes the column as wide as its title and its content, but at most `most` pixels at the normal
  /// text size. Has an effect only with a flexible column.
  void fit_to_content(int column, int most);

  /// Width of the view at which the flexible column and the last column show their whole content.
  /// Other columns count with their current width.
  int whole_width() const;

  /// Keeps the last column at least as wide as its content. Has an effect only with a flexible
  /// column.
  void keep_last_whole();
  /// Hides the last column while the flexible column would be cut beside it. Has an effect only
  /// with a flexible column.
  void hide_last_if_narrow();

  /// Lets the user sort the rows by an entry of the menu or by clicks on a title. The first click
  /// on a title sorts by this column, the second click reverses the order, and the third click ends
  /// the sorting. The model must sort its rows. Call this after `setModel`.
  void let_sort();

  void setModel(QAbstractItemModel* model) override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  /// If the focus did not come from the mouse and no row is selected, selects the current row, or
  /// else the first one, so that the user sees where the arrow keys start.
  void focusInEvent(QFocusEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  QModelIndex moveCursor(CursorAction action, Qt::KeyboardModifiers modifiers) override;

 private:
  struct FlexibleColumn {
    int column = -1;
    int least = 0;
    int least_last = 0;
    bool last_is_whole = false;
    bool last_can_hide = false;
    bool only_grows = false;
    int widest = 0;  ///< width of the widest content so far; used only if `only_grows`
  };

  struct FittedColumn {
    int column = -1;
    int most = 0;  ///< at the normal text size
  };

  void fit_flexible_column();
  void fit_other_columns();
  /// Width of the content of a column, in pixels.
  int content_width(int column) const;
  void fit_rows();
  /// Scales the column widths, which are given for the system's text size, to the current text
  /// size.
  void fit_columns();

  CellDelegate* cells_;
  FlexibleColumn flexible_;
  std::vector<FittedColumn> fitted_;
  double text_scale_ = 1;  ///< text scale that the columns are sized for
  QString invitation_;
};

}  // namespace stashscope::ui
