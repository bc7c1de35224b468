#pragma once

#include <QStyledItemDelegate>

namespace stashscope::ui {

/// A command on one line: its place faded, the typed letters bold, its keys at the right.
class CommandDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace stashscope::ui
