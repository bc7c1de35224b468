#pragma once

#include <QStyledItemDelegate>
#include <vector>

namespace stashscope::ui {

/// Paints cells with horizontal padding, which Qt's styles omit.
class CellDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  /// Space on either side of a cell's content, in pixels.
  static constexpr int padding = 6;
  /// Sum of the space above and below the text of a row, in pixels.
  static constexpr int room_in_row = 11;
  /// Elides text in these columns at its end, whatever the elide mode of the view.
  void cut_at_end(std::initializer_list<int> columns) { cut_at_end_ = columns; }

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override;

 private:
  std::vector<int> cut_at_end_;
};

}  // namespace stashscope::ui
