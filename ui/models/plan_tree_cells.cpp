// The contents of the cells of the tree of plans.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/models/plan_texts.h"
#include "ui/models/plan_tree_model.h"
#include "ui/text/texts.h"
#include "ui/theme/style.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

using Column = PlanTreeModel::Column;

bool is_bytes(int column) {
  return column == Column::saving || column == Column::saved || column == Column::at_peak ||
         column == Column::peak_change;
}

bool is_time(int column) { return column == Column::time || column == Column::per_time; }

/// Infinite if bytes are saved without extra time.
double bytes_per_millisecond(std::int64_t bytes, double seconds) {
  if (bytes <= 0) return 0;
  return seconds > 0 ? static_cast<double>(bytes) / (1e3 * seconds)
                     : std::numeric_limits<double>::infinity();
}

}  // namespace

/// The units that suit the largest numbers of the plans and of the section. They also suit the
/// occurrences and tensors, whose bytes and times never exceed those of the plan or section above
/// them. The unit of the bytes saved per millisecond suits the occurrences too, because the number
/// of a plan is an average over its occurrences.
PlanTreeModel::Units PlanTreeModel::units() const {
  std::int64_t bytes = number_of_section(Column::saving).toLongLong();
  double seconds = 0;
  double per_time = 0;
  for (const PlanRow* const row : listed()) {
    bytes = std::max(bytes, freed_bytes(*row));
    seconds = std::max(seconds, row->cost.seconds);
    const double rate = bytes_per_millisecond(freed_bytes_at_peak(*row), row->cost.seconds);
    if (std::isfinite(rate)) per_time = std::max(per_time, rate);
  }
  return {byte_unit(bytes), time_unit(seconds), byte_unit(std::llround(per_time))};
}

QVariant PlanTreeModel::check_state(const Item& item) const {
  if (item.kind == Kind::occurrence) {
    return facts_->is_applied(occurrence(item)) ? Qt::Checked : Qt::Unchecked;
  }
  if (item.kind != Kind::plan) return {};
  const PlanRow& row = row_of(item);
  if (row.applied == row.frequency) return Qt::Checked;
  return row.applied > 0 || row.on ? Qt::PartiallyChecked : Qt::Unchecked;
}

QVariant PlanTreeModel::number_of_plan(const PlanRow& row, int column) const {
  switch (column) {
    case Column::frequency:
      return row.frequency;
    case Column::count:
      return row.applied;
    case Column::saving:
      return static_cast<qlonglong>(freed_bytes(row));
    case Column::saved:
      return static_cast<qlonglong>(facts_->freed_bytes_in_use(row));
    case Column::at_peak:
      return static_cast<qlonglong>(freed_bytes_at_peak(row));
    case Column::time:
      return row.cost.seconds;
    case Column::per_time:
      return bytes_per_millisecond(freed_bytes_at_peak(row), row.cost.seconds);
    default:
      return {};
  }
}

/// The number of a group in a column. In the columns of places found and places in use, this is the
/// number of nodes at which the plans of the group have occurrences; each node counts once. In the
/// column of saved bytes, this is the sum over the plans. In other columns, this is the largest
/// number among the plans. Empty for times, and for columns without numbers.
QVariant PlanTreeModel::number_of_group(const Item& item, int column) const {
  const std::vector<const PlanRow*> rows = plans_of(item);
  if (column == Column::frequency) return facts_->places(rows).all;
  if (column == Column::count) return facts_->places(rows).in_use;
  double most = 0;
  double sum = 0;
  for (const PlanRow* const row : rows) {
    const QVariant number = number_of_plan(*row, column);
    if (!number.isValid()) return {};
    most = std::max(most, number.toDouble());
    sum += number.toDouble();
  }
  if (column == Column::time) return {};
  if (column == Column::saved) return static_cast<qlonglong>(sum);
  return column == Column::per_time ? QVariant(most) : QVariant(static_cast<qlonglong>(most));
}

/// The change of the peak by a plan; for a group, the best of the known changes by its plans.
QVariant PlanTreeModel::peak_change_of(const Item& item) const {
  if (item.kind != Kind::group && item.kind != Kind::plan) return {};
  QVariant best;
  for (const PlanRow* const row : plans_of(item)) {
    const auto known = peak_changes_.find(row);
    if (known == peak_changes_.end() || !known->second) continue;
    const auto change = static_cast<qlonglong>(*known->second);
    if (!best.isValid() || change < best.toLongLong()) best = change;
  }
  return best;
}

QString PlanTreeModel::peak_change_text(const Item& item) const {
  const QVariant change = peak_change_of(item);
  if (!change.isValid()) return {};
  const qlonglong bytes = change.toLongLong();
  if (bytes == 0) return u"±"_s + bytes_text(0, units_.bytes);
  return (bytes < 0 ? u"−"_s : u"+"_s) + bytes_text(std::abs(bytes), units_.bytes);
}

QString PlanTreeModel::peak_change_tip(const Item& item) const {
  const QVariant change = peak_change_of(item);
  if (!change.isValid()) return row_tip(item);
  const std::int64_t peak = study_->current->timeline.peak_bytes;
  const bool is_group = item.kind == Kind::group;
  const bool is_on = !is_group && check_state(item) == Qt::Checked;
  return (is_group ? tr("If the best of these plans is switched, the peak goes from %1 to %2.")
          : is_on  ? tr("If this row is switched off, the peak goes from %1 to %2.")
                   : tr("If this row is switched on, the peak goes from %1 to %2."))
             .arg(exact_bytes_text(peak), exact_bytes_text(peak + change.toLongLong())) +
         u'\n' + row_tip(item);
}

QVariant PlanTreeModel::number_of_occurrence(const Item& item, int column) const {
  const Occurrence& each = occurrence(item);
  switch (column) {
    case Column::saving:
      return static_cast<qlonglong>(each.saving_bytes);
    case Column::saved:
      return static_cast<qlonglong>(facts_->is_applied(each) ? each.saving_bytes : 0);
    case Column::at_peak:
      return static_cast<qlonglong>(facts_->bytes_at_peak(each));
    case Column::time:
      return facts_->seconds(each);
    case Column::per_time:
      return bytes_per_millisecond(facts_->bytes_at_peak(each), facts_->seconds(each));
    default:
      return {};
  }
}

QVariant PlanTreeModel::number_of_section(int column) const {
  if (column == Column::frequency) return static_cast<int>(shape_.tensors.size());
  if (column != Column::saving) return {};
  qlonglong bytes = 0;
  for (const UnplannedTensor& each : shape_.tensors) bytes += each.bytes;
  return bytes;
}

QVariant PlanTreeModel::life_number(const Item& item, int column) const {
  if (item.kind != Kind::occurrence && item.kind != Kind::tensor) return {};
  const auto life = facts_->life(value_of(item));
  if (!life) return {};
  return static_cast<qlonglong>(1 + (column == Column::made ? life->made : life->last_read));
}

QVariant PlanTreeModel::number(const Item& item, int column) const {
  if (column == Column::made || column == Column::last_read) return life_number(item, column);
  if (column == Column::peak_change) return peak_change_of(item);
  switch (item.kind) {
    case Kind::group:
      return number_of_group(item, column);
    case Kind::plan:
      return number_of_plan(row_of(item), column);
    case Kind::occurrence:
      return number_of_occurrence(item, column);
    case Kind::section:
      return number_of_section(column);
    default:
      return column == Column::saving ? QVariant(static_cast<qlonglong>(tensor(item).bytes))
                                      : QVariant();
  }
}

/// Cells without a number sort below cells with a number.
QVariant PlanTreeModel::sort_value(const Item& item, int column) const {
  if (!columns_[static_cast<std::size_t>(column)].is_number) return text(item, column);
  const QVariant value = number(item, column);
  if (column == Column::peak_change) {
    // The largest fall of the peak gets the largest value.
    return value.isValid() ? -value.toLongLong() : std::numeric_limits<qlonglong>::min();
  }
  return value.isValid() ? value : QVariant(qlonglong{-1});
}

QString PlanTreeModel::group_name(const Item& item) const {
  QStringList ways;
  for (const std::size_t row : shape_.groups[item.group]) ways << plan_name(row);
  return one_of_text(ways);
}

QString PlanTreeModel::name(const Item& item) const {
  const Graph& graph = study_->graph();
  switch (item.kind) {
    case Kind::group:
      return group_name(item);
    case Kind::plan:
      return plan_name(item.row);
    case Kind::occurrence:
      return node_text(graph, OccurrenceFacts::node(occurrence(item)));
    case Kind::tensor:
      return shown(graph.value(tensor(item).value).name);
    default:
      return tr("Not recomputable");
  }
}

QString PlanTreeModel::layer_text(const Item& item) const {
  const Graph& graph = study_->graph();
  if (item.kind == Kind::occurrence) {
    return shown(layer_of(graph, OccurrenceFacts::node(occurrence(item))));
  }
  if (item.kind != Kind::tensor) return {};
  return shown(layer_of(graph, graph.value(tensor(item).value).producer));
}

QString PlanTreeModel::why_not_text(const Item& item) const {
  if (item.kind == Kind::occurrence) {
    return shown(facts_->why_not(row_of(item), occurrence(item)));
  }
  if (item.kind != Kind::tensor) return {};
  return obstacle_text(study_->graph(), tensor(item));
}

QString PlanTreeModel::text(const Item& item, int column) const {
  switch (column) {
    case Column::plan:
      return name(item);
    case Column::config:
      return item.kind == Kind::plan ? plan_text(row_of(item)) : QString();
    case Column::layer:
      return layer_text(item);
    case Column::symbolic:
      return item.kind == Kind::plan ? shown(in_words(row_of(item).saving_symbolic, words_))
                                     : QString();
    case Column::why_not:
      return why_not_text(item);
    case Column::peak_change:
      return peak_change_text(item);
    default:
      break;
  }
  if (item.kind == Kind::occurrence) {
    const Occurrence& each = occurrence(item);
    if (column == Column::count) return facts_->has_pinned_node(each) ? tr("pinned") : QString();
    if (column == Column::saved && !facts_->is_applied(each)) return {};
  }
  const QVariant value = number(item, column);
  return value.isValid() ? number_text(value, column) : QString();
}

QString PlanTreeModel::number_text(const QVariant& number, int column) const {
  if (column == Column::time) return time_text(number.toDouble(), units_.time);
  if (column == Column::per_time) {
    const double bytes = number.toDouble();
    return std::isinf(bytes) ? tr("free") : bytes_text(std::llround(bytes), units_.per_time);
  }
  return is_bytes(column) ? bytes_text(number.toLongLong(), units_.bytes) : number.toString();
}

QString PlanTreeModel::origin_of_times() const {
  const bool is_measured = study_->times->measured > 0;
  return is_measured ? tr("Times are measured on %1.").arg(shown(study_->times->measured_on))
                     : tr("Times are predicted for %1, not measured.")
                           .arg(shown(study_->choices.times.profile.name));
}

QString PlanTreeModel::tool_tip(const Item& item, int column) const {
  if (column == Column::symbolic && item.kind == Kind::plan) {
    return text(item, column) + u"\n= "_s + shown(row_of(item).saving_symbolic);
  }
  if (column == Column::peak_change) return peak_change_tip(item);
  if (column == Column::symbolic || column == Column::why_not || column == Column::layer) {
    return text(item, column);
  }
  const QString exact = is_bytes(column) && !text(item, column).isEmpty()
                            ? exact_bytes_text(number(item, column).toLongLong()) + u'\n'
                            : QString();
  if (is_time(column)) return origin_of_times() + u'\n' + row_tip(item);
  if (column == Column::count && item.kind == Kind::plan) {
    const QString note = count_note(*study_, row_of(item));
    return note.isEmpty() ? row_tip(item) : note + u'\n' + row_tip(item);
  }
  return exact + row_tip(item);
}

QString PlanTreeModel::row_tip(const Item& item) const {
  switch (item.kind) {
    case Kind::group:
      return name(item) + u"\n"_s + tr("Choosing one of these plans switches the other plans off.");
    case Kind::plan:
      return name(item) + u'\n' + plan_tip(row_of(item));
    case Kind::occurrence:
      return occurrence_tip(study_->graph(), occurrence(item));
    case Kind::tensor:
      return name(item) + u"\n"_s + why_not_text(item);
    default:
      return tr("Stashed tensors without a plan, with the reason");
  }
}

QVariant PlanTreeModel::cell(const Item& item, int column, int role) const {
  switch (role) {
    case Qt::DisplayRole:
      return text(item, column);
    case Qt::EditRole:
    case sort_role:
      return sort_value(item, column);
    case exact_role:
      if (column == Column::symbolic && item.kind == Kind::plan) {
        return shown(row_of(item).saving_symbolic);
      }
      // A cell without text has no exact value.
      if (!is_bytes(column) && !is_time(column)) return {};
      if (text(item, column).isEmpty() || std::isinf(number(item, column).toDouble())) return {};
      return number(item, column);
    case Qt::ToolTipRole:
      return tool_tip(item, column);
    case Qt::CheckStateRole:
      return column == Column::plan ? check_state(item) : QVariant();
    case Qt::TextAlignmentRole:
      return alignment_of(columns_[static_cast<std::size_t>(column)]);
    case exclusive_role:
      return item.kind == Kind::plan && shape_.groups[item.group].size() > 1;
    case Qt::AccessibleTextRole:
      if (column != Column::plan) return text(item, column);
      return tr("%1, %2").arg(name(item), text(item, Column::saving));
    default:
      return {};
  }
}

}  // namespace stashscope::ui
