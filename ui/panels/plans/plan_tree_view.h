#pragma once

#include <QTreeView>
#include <set>

namespace stashscope::ui {

/// The tree of plans: several rows can be selected, Space switches them, Ctrl+C copies them. What
/// is open stays so when rows come back.
class PlanTreeView : public QTreeView {
  Q_OBJECT

 public:
  explicit PlanTreeView(QWidget* parent = nullptr);

  /// What is said while there are no rows.
  void set_invitation(const QString& invitation);
  void setModel(QAbstractItemModel* model) override;
  /// Opens what has the filter's text below it only, and what was open before.
  void open_again();
  /// The selected rows from top to bottom, in the first column.
  QModelIndexList selected_rows() const;
  /// Selects a row in the middle of the view, with the keyboard on it.
  void show_row(const QModelIndex& row);
  /// Selects a row that other views lead to; the keyboard stays where it is.
  void lead_to(const QModelIndex& row);

 Q_SIGNALS:
  void switch_wanted();  ///< of the selected rows
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
  /// All columns to the size of the text.
  void fit_columns();

  QString invitation_;
  std::set<QString> opened_;  ///< keys of items that the user opened
  std::set<QString> closed_;  ///< of those that are open at first
  bool opening_ = false;
  double text_scale_ = 1;  ///< that the columns are fitted to
};

}  // namespace stashscope::ui
