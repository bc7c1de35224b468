#include "ui/panels/plans/count_delegate.h"

#include <QSignalBlocker>
#include <QSpinBox>

#include "ui/models/plan_tree_model.h"
#include "ui/widgets/undo_keys.h"

namespace stashscope::ui {

QWidget* CountDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem&,
                                     const QModelIndex& index) const {
  auto* const box = new QSpinBox(parent);
  box->setObjectName(QStringLiteral("plan_count"));
  box->setFrame(false);
  pass_undo_keys(*box);
  box->setToolTip(index.data(Qt::ToolTipRole).toString());
  box->setAlignment(Qt::AlignRight);
  box->setRange(0, index.siblingAtColumn(PlanTreeModel::frequency).data(Qt::EditRole).toInt());
  auto* const self = const_cast<CountDelegate*>(this);
  connect(box, &QSpinBox::valueChanged, self, [self, box] { Q_EMIT self->commitData(box); });
  return box;
}

void CountDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const {
  auto* const box = static_cast<QSpinBox*>(editor);
  const QSignalBlocker quiet(box);
  box->setValue(index.data(Qt::EditRole).toInt());
}

void CountDelegate::setModelData(QWidget* editor, QAbstractItemModel* model,
                                 const QModelIndex& index) const {
  const int value = static_cast<QSpinBox*>(editor)->value();
  if (value != index.data(Qt::EditRole).toInt()) model->setData(index, value, Qt::EditRole);
}

}  // namespace stashscope::ui
