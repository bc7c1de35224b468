#pragma once

#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui {

/// Cells with a bar along the lower edge. The length of the bar is a share of the cell's width.
class ShareDelegate : public CellDelegate {
  Q_OBJECT

 public:
  /// @param share_role item role of the share, a number from 0 to 1
  ShareDelegate(int share_role, QObject* parent) : CellDelegate(parent), share_role_(share_role) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;

 private:
  int share_role_;
};

}  // namespace stashscope::ui
