#include "ui/models/plan_tree_model.h"

#include <algorithm>

#include "ui/text/texts.h"

namespace stashscope::ui {

using namespace Qt::StringLiterals;

namespace {

/// The row of an index is the item's place among its siblings. The id of an index names the
/// ancestors of the item. A top-level item has the id 0. In all other ids, the low half is the
/// place of the top-level ancestor; the high half is the place of the parent, or 0 if the parent is
/// the top-level ancestor. Places in ids count from 1.
quintptr id_of_children(const QModelIndex& parent) {
  if (!parent.isValid()) return 0;
  const auto place = static_cast<quintptr>(parent.row()) + 1;
  return parent.internalId() == 0 ? place : parent.internalId() | (place << 32);
}

constexpr quintptr low_half = 0xFFFFFFFF;

}  // namespace

PlanTreeModel::PlanTreeModel(QObject* parent)
    : QAbstractItemModel(parent),
      columns_(
          {{tr("Plan"),
            tr("The operator whose output is freed, the nodes that run again, and the place in the "
               "model or the number of places. The rows below a plan name the nodes whose output "
               "the plan frees."),
            false},
           {tr("Found"), tr("Number of places in the model"), true},
           {tr("Use"), tr("Number of places in use; the first places of the step are used first"),
            true},
           {tr("Bytes"),
            tr("Stashed bytes that all places together free between forward and backward"), true,
            bytes_unit()},
           {tr("Saved"), tr("The part of Bytes that is freed by the places in use"), true,
            bytes_unit()},
           {tr("At peak"),
            tr("The part of Bytes that is alive at the peak without plans. The peak may fall by "
               "less, because another slot becomes the peak; see Peak change."),
            true, bytes_unit()},
           {tr("Extra time"), tr("Time that all occurrences together add to the step"), true,
            seconds_unit()},
           {tr("Saved per ms"),
            tr("Bytes saved at the peak for each millisecond of extra time; \"free\" if the plan "
               "adds no time"),
            true, bytes_unit()},
           {tr("Config"), tr("The plan in ONNX Runtime's configuration"), false},
           {tr("Why not"), tr("Why this row frees nothing"), false},
           {tr("Layer"), tr("The modules that contain the node, the outermost first"), false},
           {tr("Made"), tr("Slot in which the activation is made, in the current order"), true},
           {tr("Last read"), tr("Slot of the last read of the activation, in the current order"),
            true},
           {tr("By dimension"),
            tr("The bytes as a formula of the model's dimensions. For the modules of a captured "
               "step, the formula leaves out the largest module, because its memory is in use "
               "again while the module runs again."),
            false},
           {tr("Peak change"),
            tr("How the peak changes if the tick of this row is changed now, with all other plans "
               "as they are. For a group, the best change by one of its plans."),
            true, bytes_unit()}}) {}

bool PlanTreeModel::lists_extensions(const Study& study) const {
  return extensions_wanted_ || std::ranges::any_of(study.plan_table->extensions,
                                                   [](const PlanRow& row) { return row.on; });
}

PlanTreeModel::Shape PlanTreeModel::shape_of(const Study& study) const {
  Shape shape;
  shape.has_extensions = lists_extensions(study);
  const auto config = [&](std::size_t row) -> const std::string& {
    return stashscope::plan_row(study, row).config;
  };
  for (std::vector<std::size_t>& group : plan_groups(study)) {
    if (group.front() >= study.plan_table->plans.size() && !shape.has_extensions) continue;
    std::ranges::sort(group, {}, config);
    shape.groups.push_back(std::move(group));
  }
  std::ranges::sort(shape.groups, {}, [&](const auto& group) { return config(group.front()); });
  for (const auto& group : shape.groups) {
    for (const std::size_t row : group) {
      shape.plans.emplace_back(config(row), stashscope::plan_row(study, row).occurrences->size());
    }
  }
  shape.tensors = unplanned_tensors(study);
  std::ranges::sort(shape.tensors, {}, &UnplannedTensor::value);
  for (const UnplannedTensor& each : shape.tensors) shape.values.push_back(each.value);
  return shape;
}

/// Whether everything that determines the shape is unchanged, as after most edits.
bool PlanTreeModel::keeps_shape(const Study& study) const {
  return study_ != nullptr && study_->opportunities == study.opportunities &&
         study_->sizes == study.sizes && shape_.has_extensions == lists_extensions(study);
}

bool PlanTreeModel::has_rows(const Study& study, const Shape& shape) const {
  return study_ != nullptr && study_->prepared->step.graph == study.prepared->step.graph &&
         shape.plans == shape_.plans && shape.values == shape_.values;
}

void PlanTreeModel::set_study(std::shared_ptr<const Study> study) {
  const bool keeps = study != nullptr && keeps_shape(*study);
  Shape shape = keeps ? shape_ : study == nullptr ? Shape() : shape_of(*study);
  const bool stays = keeps || (study != nullptr && has_rows(*study, shape));
  if (!stays) beginResetModel();
  shape_ = std::move(shape);
  if (!keeps) names_ = study == nullptr ? std::vector<std::string>() : plan_names(*study);
  facts_ = study == nullptr ? nullptr : std::make_unique<OccurrenceFacts>(*study);
  if (study_ != study) peak_changes_.clear();
  study_ = std::move(study);
  words_ = study_ == nullptr ? SizeWords() : size_words(*study_);
  units_ = units();
  Q_EMIT headerDataChanged(Qt::Horizontal, Column::time, Column::per_time);
  if (stays) {
    cells_changed();
  } else {
    endResetModel();
  }
}

void PlanTreeModel::add_peak_changes(const std::map<const PlanRow*, PeakChange>& changes) {
  for (const auto& [row, change] : changes) peak_changes_.insert_or_assign(row, change);
  const auto changed = [this](const QModelIndex& parent) {
    const int rows = rowCount(parent);
    if (rows == 0) return;
    Q_EMIT dataChanged(index(0, Column::peak_change, parent),
                       index(rows - 1, Column::peak_change, parent));
  };
  changed({});
  for (int row = 0; row < rowCount(); ++row) {
    if (kind(index(row, 0)) == Kind::group) changed(index(row, 0));
  }
}

std::vector<const PlanRow*> PlanTreeModel::plans_of(const Item& item) const {
  std::vector<const PlanRow*> rows;
  if (item.kind == Kind::group) {
    for (const std::size_t row : shape_.groups[item.group]) {
      rows.push_back(&stashscope::plan_row(*study_, row));
    }
  } else if (item.kind == Kind::plan || item.kind == Kind::occurrence) {
    rows.push_back(&row_of(item));
  }
  return rows;
}

std::vector<const PlanRow*> PlanTreeModel::plans_of(const QModelIndex& index) const {
  return plans_of(at(index));
}

void PlanTreeModel::list_extensions(bool wanted) {
  extensions_wanted_ = wanted;
  set_study(study_);
}

void PlanTreeModel::cells_changed() {
  const auto changed = [this](const QModelIndex& parent) {
    const int rows = rowCount(parent);
    if (rows == 0) return;
    Q_EMIT dataChanged(index(0, 0, parent), index(rows - 1, columnCount() - 1, parent));
  };
  changed({});
  for (int row = 0; row < rowCount(); ++row) {
    const QModelIndex upper = index(row, 0);
    changed(upper);
    if (kind(upper) != Kind::group) continue;
    for (int option = 0; option < rowCount(upper); ++option) changed(index(option, 0, upper));
  }
}

PlanTreeModel::Item PlanTreeModel::top(std::size_t row) const {
  if (row == shape_.groups.size()) return {Kind::section, row};
  const auto& group = shape_.groups[row];
  return {group.size() > 1 ? Kind::group : Kind::plan, row, group.front()};
}

PlanTreeModel::Item PlanTreeModel::child(const Item& parent, std::size_t row) const {
  switch (parent.kind) {
    case Kind::group:
      return {Kind::plan, parent.group, shape_.groups[parent.group][row], row};
    case Kind::plan:
      return {Kind::occurrence, parent.group, parent.row, row};
    default:
      return {Kind::tensor, parent.group, 0, row};
  }
}

PlanTreeModel::Item PlanTreeModel::at(const QModelIndex& index) const {
  const auto row = static_cast<std::size_t>(index.row());
  const quintptr id = index.internalId();
  if (id == 0) return top(row);
  const Item upper = top((id & low_half) - 1);
  return (id >> 32) == 0 ? child(upper, row) : child(child(upper, (id >> 32) - 1), row);
}

std::size_t PlanTreeModel::children(const Item& item) const {
  switch (item.kind) {
    case Kind::group:
      return shape_.groups[item.group].size();
    case Kind::plan:
      return row_of(item).occurrences->size();
    case Kind::section:
      return shape_.tensors.size();
    default:
      return 0;
  }
}

QModelIndex PlanTreeModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, id_of_children(parent));
}

QModelIndex PlanTreeModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == 0) return {};
  const quintptr id = index.internalId();
  const quintptr upper = id & low_half;
  if ((id >> 32) == 0) return createIndex(static_cast<int>(upper - 1), 0, quintptr{0});
  return createIndex(static_cast<int>((id >> 32) - 1), 0, upper);
}

int PlanTreeModel::rowCount(const QModelIndex& parent) const {
  if (study_ == nullptr || parent.column() > 0) return 0;
  if (parent.isValid()) return static_cast<int>(children(at(parent)));
  const std::size_t sections = shape_.tensors.empty() ? 0 : 1;
  return static_cast<int>(shape_.groups.size() + sections);
}

int PlanTreeModel::columnCount(const QModelIndex&) const {
  return static_cast<int>(columns_.size());
}

const PlanRow& PlanTreeModel::plan_row(const QModelIndex& index) const { return row_of(at(index)); }

std::vector<const PlanRow*> PlanTreeModel::listed() const {
  std::vector<const PlanRow*> rows;
  if (study_ == nullptr) return rows;
  for (const auto& group : shape_.groups) {
    for (const std::size_t row : group) rows.push_back(&stashscope::plan_row(*study_, row));
  }
  return rows;
}

const Occurrence& PlanTreeModel::occurrence(const Item& item) const {
  return (*row_of(item).occurrences)[item.number];
}

const UnplannedTensor& PlanTreeModel::tensor(const Item& item) const {
  return shape_.tensors[item.number];
}

ValueId PlanTreeModel::value_of(const Item& item) const {
  return item.kind == Kind::tensor ? tensor(item).value : facts_->value(occurrence(item));
}

namespace {

std::vector<NodeId> ascending(std::vector<NodeId> nodes) {
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

std::vector<NodeId> PlanTreeModel::nodes(const QModelIndex& index) const {
  const Item item = at(index);
  std::vector<NodeId> found;
  const auto add_plan = [&](const NodePlan& plan) {
    found.insert(found.end(), plan.subgraph.begin(), plan.subgraph.end());
    found.push_back(plan.node);
  };
  switch (item.kind) {
    case Kind::group:
      for (const std::size_t row : shape_.groups[item.group]) {
        const auto more = nodes_of_plan(*study_, stashscope::plan_row(*study_, row));
        found.insert(found.end(), more.begin(), more.end());
      }
      break;
    case Kind::plan:
      return nodes_of_plan(*study_, row_of(item));
    case Kind::occurrence:
      for (const NodePlan* const part : occurrence(item).parts) add_plan(*part);
      break;
    case Kind::tensor:
      found.push_back(study_->graph().value(tensor(item).value).producer);
      if (tensor(item).stopped_at.valid()) found.push_back(tensor(item).stopped_at);
      break;
    case Kind::section:
      break;
  }
  return ascending(std::move(found));
}

std::vector<NodeId> PlanTreeModel::entries(const QModelIndex& index) const {
  const Item item = at(index);
  if (item.kind == Kind::occurrence) return {OccurrenceFacts::node(occurrence(item))};
  std::vector<NodeId> found;
  if (item.kind == Kind::plan) {
    for (const Occurrence& each : *row_of(item).occurrences) {
      found.push_back(OccurrenceFacts::node(each));
    }
  }
  return ascending(std::move(found));
}

QModelIndex PlanTreeModel::index_of(const TablePlace& place) const {
  const auto at_row = [this](std::ptrdiff_t row, const QModelIndex& parent = {}) {
    return index(static_cast<int>(row), 0, parent);
  };
  if (place.tensor.valid()) {
    const auto value = std::ranges::find(shape_.values, place.tensor);
    if (value == shape_.values.end()) return {};
    return at_row(value - shape_.values.begin(), at_row(std::ssize(shape_.groups)));
  }
  for (std::size_t i = 0; i < shape_.groups.size(); ++i) {
    const auto& group = shape_.groups[i];
    const auto row = std::ranges::find(group, place.row);
    if (row == group.end()) continue;
    const QModelIndex upper = at_row(static_cast<std::ptrdiff_t>(i));
    const QModelIndex plan = group.size() == 1 ? upper : at_row(row - group.begin(), upper);
    return at_row(static_cast<std::ptrdiff_t>(place.occurrence), plan);
  }
  return {};
}

QString PlanTreeModel::key(const QModelIndex& index) const {
  const Item item = at(index);
  switch (item.kind) {
    case Kind::group:
      return u"group "_s + shown(row_of(item).config);
    case Kind::plan:
      return u"plan "_s + shown(row_of(item).config);
    case Kind::occurrence:
      return u"in %1 %2"_s.arg(item.number).arg(shown(row_of(item).config));
    case Kind::section:
      return u"section"_s;
    default:
      return u"tensor "_s + name(item);
  }
}

std::optional<PlanSwitch> PlanTreeModel::switch_of(const QModelIndex& index) const {
  const Item item = at(index);
  if (item.kind == Kind::plan) return PlanSwitch{&row_of(item), std::nullopt};
  if (item.kind != Kind::occurrence) return std::nullopt;
  return PlanSwitch{&row_of(item), std::set{OccurrenceFacts::node(occurrence(item))}};
}

QVariant PlanTreeModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  return cell(at(index), index.column(), role);
}

bool PlanTreeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return false;
  if (role == Qt::CheckStateRole && flags(index).testFlag(Qt::ItemIsUserCheckable)) {
    Q_EMIT switch_wanted(index, value.toInt() == Qt::Checked);
    return true;
  }
  if (role == Qt::EditRole && flags(index).testFlag(Qt::ItemIsEditable)) {
    Q_EMIT count_wanted(index, value.toInt());
    return true;
  }
  return false;
}

QVariant PlanTreeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  QVariant told = header_cell(columns_[static_cast<std::size_t>(section)], role);
  const bool is_about_time = section == Column::time || section == Column::per_time;
  if (role != Qt::ToolTipRole || !is_about_time || study_ == nullptr) return told;
  return told.toString() + u'\n' + origin_of_times();
}

Qt::ItemFlags PlanTreeModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const Kind what = kind(index);
  Qt::ItemFlags flags = QAbstractItemModel::flags(index);
  const bool has_tick = what == Kind::plan || what == Kind::occurrence;
  if (has_tick && index.column() == Column::plan) flags |= Qt::ItemIsUserCheckable;
  if (what == Kind::plan && index.column() == Column::count) flags |= Qt::ItemIsEditable;
  if (what == Kind::occurrence || what == Kind::tensor) flags |= Qt::ItemNeverHasChildren;
  return flags;
}

}  // namespace stashscope::ui
