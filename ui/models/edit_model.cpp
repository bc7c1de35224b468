#include "ui/models/edit_model.h"

#include "ui/text/texts.h"

namespace stashscope::ui {

EditModel::EditModel(QObject* parent)
    : TableModel({{tr("Edit"), tr("Your change to the result of the strategy"), false},
                  {tr("State"), tr("Whether the edit is applied to the current step"), false}},
                 parent) {}

void EditModel::set_edits(std::vector<OrderEdit> edits) {
  if (edits == edits_) return;
  beginResetModel();
  edits_ = std::move(edits);
  endResetModel();
}

QString EditModel::edit_text(int row) const {
  const OrderEdit& edit = edits_[static_cast<std::size_t>(row)];
  const QString node = shown(edit.node);
  const QString other = shown(edit.other);
  switch (edit.kind) {
    case OrderEdit::Kind::move:
      return edit.other.empty() ? tr("%1 runs last").arg(node)
                                : tr("%1 runs before %2").arg(node, other);
    case OrderEdit::Kind::alone:
      return tr("%1 runs alone").arg(node);
    default:
      return tr("keep %1 and %2 apart").arg(node, other);
  }
}

QVariant EditModel::cell(int row, int column, int role) const {
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  if (column == Column::edit) return edit_text(row);
  const std::string& left_out = edits_[static_cast<std::size_t>(row)].left_out;
  return left_out.empty() ? tr("applied") : tr("not applied: %1").arg(shown(left_out));
}

}  // namespace stashscope::ui
