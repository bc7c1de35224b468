#include "ui/palette/command_model.h"

namespace stashscope::ui {

void CommandModel::set_commands(std::vector<Command> commands) {
  all_ = std::move(commands);
  set_pattern({});
}

void CommandModel::set_pattern(const QString& pattern) {
  beginResetModel();
  shown_ = ranked(all_, pattern);
  if (pattern.trimmed().isEmpty()) {
    std::erase_if(shown_, [](const RankedCommand& each) { return !ui::can_be_done(each.command); });
  }
  endResetModel();
}

int CommandModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant CommandModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const RankedCommand& row = shown_[static_cast<std::size_t>(index.row())];
  const QAction* const action = row.command.action;
  switch (role) {
    case Qt::DisplayRole:
      return full_name(row.command);
    case Qt::ToolTipRole:
      return action == nullptr ? QString() : full_name(row.command) + u'\n' + action->toolTip();
    case Qt::CheckStateRole:
      if (action == nullptr || !action->isCheckable()) return {};
      return action->isChecked() ? Qt::Checked : Qt::Unchecked;
    case keys:
      return row.command.keys();
    case why_not:
      return why_not_done(row.command);
    case name_start:
      return full_name(row.command).size() - row.command.name.size();
    case places:
      return QVariant::fromValue(QList<qsizetype>(row.places.begin(), row.places.end()));
    default:
      return {};
  }
}

}  // namespace stashscope::ui
