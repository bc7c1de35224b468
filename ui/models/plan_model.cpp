#include "ui/models/plan_model.h"

#include <algorithm>
#include <map>

#include "ui/models/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

PlanModel::PlanModel(QObject* parent)
    : StudyModel({{tr("Plan"),
                   tr("Operators that are run again instead of keeping their output, or the "
                      "operator whose "
                      "output is put away"),
                   false},
                  {tr("Found"), tr("How often the model has it"), true},
                  {tr("Use"), tr("How many of them are treated so, the first ones first"), true},
                  {tr("Saves"), tr("Stashed bytes that all of them free"), true},
                  {tr("At peak"),
                   tr("Those of the saved bytes that live at the peak without plans"), true},
                  {tr("Saves, by dimension"),
                   tr("The same in bytes, in the model's dimension names"), false}},
                 parent) {}

const PlanRow& PlanModel::plan_row(int row) const {
  const auto index = static_cast<std::size_t>(row);
  const std::size_t plans = study().plans.size();
  return index < plans ? study().plans[index] : study().extensions[index - plans];
}

bool PlanModel::same_rows(const Study& a, const Study& b) const {
  const auto same = [](const std::vector<PlanRow>& x, const std::vector<PlanRow>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](const PlanRow& p, const PlanRow& q) { return p.config == q.config; });
  };
  return lists_extensions(a) == lists_extensions(b) && same(a.plans, b.plans) &&
         same(a.extensions, b.extensions);
}

bool PlanModel::lists_extensions(const Study& study) const {
  return extensions_wanted_ || std::any_of(study.extensions.begin(), study.extensions.end(),
                                           [](const PlanRow& row) { return row.on; });
}

int PlanModel::rows_of(const Study& study) const {
  const std::size_t extensions = lists_extensions(study) ? study.extensions.size() : 0;
  return static_cast<int>(study.plans.size() + extensions);
}

void PlanModel::list_extensions(bool wanted) {
  beginResetModel();
  extensions_wanted_ = wanted;
  endResetModel();
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
      return tool_tip(plan, column);
    case Qt::CheckStateRole:
      if (column == Column::plan) return plan.on ? Qt::Checked : Qt::Unchecked;
      return {};
    case Qt::AccessibleTextRole:
      return tr("%1, saves %2").arg(shown(plan.config), bytes_text(plan.saving_bytes));
    default:
      return {};
  }
}

QString PlanModel::tool_tip(const PlanRow& row, int column) {
  if (column == Column::symbolic) return shown(row.saving_symbolic);
  const Strategy& how = strategy_of(row.type);
  QString tip = shown(row.config) + u"\n"_s + shown(std::string(how.description));
  if (how.lossy) tip += u"\n"_s + tr("Lossy: results of the step may change.");
  if (!in_reference(row.type)) tip += u"\n"_s + tr("ONNX Runtime does not know this type.");
  return tip;
}

/// Types that the reference does not know are written out.
QString PlanModel::plan_text(const PlanRow& row) {
  if (in_reference(row.type)) return shown(row.config);
  const Strategy& how = strategy_of(row.type);
  const QString name = shown(std::string(how.name));
  return (how.lossy ? tr("%1 (lossy) %2") : tr("%1 %2")).arg(name, shown(row.config));
}

QVariant PlanModel::text(const PlanRow& row, int column) const {
  switch (column) {
    case Column::plan:
      return plan_text(row);
    case Column::saving:
      return bytes_text(row.saving_bytes);
    case Column::at_peak:
      return bytes_text(row.bytes_at_peak);
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
      return row.applied;
    case Column::saving:
      return static_cast<qlonglong>(row.saving_bytes);
    case Column::at_peak:
      return static_cast<qlonglong>(row.bytes_at_peak);
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

namespace {

using Counts = std::map<QString, int>;

/// `Conv (53), MaxPool (1)`, most frequent first.
QString counts_text(const Counts& counts) {
  std::vector<std::pair<QString, int>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  QStringList parts;
  for (const auto& [name, count] : sorted) parts << u"%1 (%2)"_s.arg(name).arg(count);
  return parts.join(u", "_s);
}

/// The operators that searches for plans could not pass, by the rule that stopped them.
std::map<QString, Counts> obstacle_counts(const Study& study) {
  std::map<QString, Counts> counts;
  for (const Obstacle& obstacle : study.opportunities->obstacles) {
    const NodeId at = obstacle.stopped_at.valid() ? obstacle.stopped_at : obstacle.entry;
    ++counts[shown(obstacle.rule)][shown(study.graph().node(at).op_type)];
  }
  return counts;
}

}  // namespace

QString no_plans_text(const Study& study) {
  if (!study.prepared->step.boundary.known()) {
    return PlanModel::tr("No plans: nothing in this model tells where backward begins.");
  }
  if (study.opportunities->obstacles.empty()) {
    return PlanModel::tr("No plans: backward reads nothing that forward computes.");
  }
  QString text = PlanModel::tr("No plans: nothing that is stashed can be recomputed.");
  for (const auto& [rule, counts] : obstacle_counts(study)) {
    text += u"\n\n"_s + counts_text(counts) + u": "_s + rule;
  }
  return text + u"\n\n"_s +
         PlanModel::tr(
             "Recomputable are the operators that the reference's optimizer lists as "
             "cheap enough.");
}

}  // namespace stashscope::ui
