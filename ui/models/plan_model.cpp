#include "ui/models/plan_model.h"

#include <algorithm>

#include "core/study/edits.h"
#include "ui/models/texts.h"

namespace stashscope::ui {

PlanModel::PlanModel(QObject* parent)
    : StudyModel(
          {{tr("Plan"), tr("Operators that are run again instead of keeping their output"), false},
           {tr("Found"), tr("How often the model has it"), true},
           {tr("Use"), tr("How many of them are recomputed, the first ones first"), true},
           {tr("Saves"), tr("Stashed bytes that all of them free"), true},
           {tr("Saves, by dimension"), tr("The same in bytes, in the model's dimension names"),
            false}},
          parent) {}

bool PlanModel::same_rows(const Study& a, const Study& b) const {
  return std::equal(a.plans.begin(), a.plans.end(), b.plans.begin(), b.plans.end(),
                    [](const PlanRow& x, const PlanRow& y) { return x.config == y.config; });
}

QVariant PlanModel::cell(int row, int column, int role) const {
  const PlanRow& plan = plan_row(row);
  switch (role) {
    case Qt::DisplayRole:
      return text(plan, column);
    case Qt::EditRole:
    case sort_role:
      return number(plan, column);
    case Qt::ToolTipRole:
      return column == Column::symbolic ? shown(plan.saving_symbolic) : shown(plan.config);
    case Qt::CheckStateRole:
      if (column == Column::plan) return plan.on ? Qt::Checked : Qt::Unchecked;
      return {};
    case Qt::AccessibleTextRole:
      return tr("%1, saves %2").arg(shown(plan.config), bytes_text(plan.saving_bytes));
    default:
      return {};
  }
}

QVariant PlanModel::text(const PlanRow& row, int column) const {
  switch (column) {
    case Column::plan:
      return shown(row.config);
    case Column::saving:
      return bytes_text(row.saving_bytes);
    case Column::symbolic:
      return shown(row.saving_symbolic);
    default:
      return number(row, column);
  }
}

QVariant PlanModel::number(const PlanRow& row, int column) const {
  switch (column) {
    case Column::frequency:
      return row.frequency;
    case Column::count:
      return chosen_count(study(), row);
    case Column::saving:
      return static_cast<qlonglong>(row.saving_bytes);
    default:
      return text(row, column);
  }
}

Qt::ItemFlags PlanModel::flags(const QModelIndex& index) const {
  Qt::ItemFlags flags = StudyModel::flags(index);
  if (index.column() == Column::plan) flags |= Qt::ItemIsUserCheckable;
  if (index.column() == Column::count) flags |= Qt::ItemIsEditable;
  return flags;
}

bool PlanModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  if (role == Qt::CheckStateRole && index.column() == Column::plan) {
    Q_EMIT switch_wanted(index.row(), value.toInt() == Qt::Checked);
    return true;
  }
  if (role == Qt::EditRole && index.column() == Column::count) {
    Q_EMIT count_wanted(index.row(), value.toInt());
    return true;
  }
  return false;
}

}  // namespace stashscope::ui
