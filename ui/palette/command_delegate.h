#pragma once

#include <QStyledItemDelegate>

namespace stashscope::ui {

/// Draws a command on one line: `Command::place` in a faded colour, its name, and its keys at the
/// right. The letters that the user typed are bold. A command that cannot be done now is grey, and
/// the reason stands in place of the keys.
class CommandDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace stashscope::ui
