#pragma once

#include "ui/widgets/cell_delegate.h"

namespace stashscope::ui {

/// A delegate that edits how many occurrences of a plan are used, from 0 to all. Each change of the
/// number applies at once.
class CountDelegate : public CellDelegate {
  Q_OBJECT

 public:
  using CellDelegate::CellDelegate;

  QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const override;
  void setEditorData(QWidget* editor, const QModelIndex& index) const override;
  void setModelData(QWidget* editor, QAbstractItemModel* model,
                    const QModelIndex& index) const override;
};

}  // namespace stashscope::ui
