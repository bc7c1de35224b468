#include "ui/models/group_model.h"

#include <algorithm>

#include "core/study/facts/opened_operator.h"
#include "ui/models/step_model.h"
#include "ui/text/counted.h"
#include "ui/text/texts.h"

namespace stashscope::ui {

namespace {

/// Internal id of the model index of a group's row. The row of a member has another internal id:
/// the row of its group, counted from 1.
constexpr quintptr no_group = 0;

bool same_groups(const Study* a, const Study* b) {
  return a != nullptr && b != nullptr && a->prepared == b->prepared &&
         a->current->dataflow.cloned_nodes == b->current->dataflow.cloned_nodes &&
         a->current->groups == b->current->groups;
}

}  // namespace

void GroupModel::set_study(std::shared_ptr<const Study> study) {
  if (same_groups(study.get(), study_.get())) {
    study_ = std::move(study);
    return;
  }
  beginResetModel();
  study_ = std::move(study);
  endResetModel();
}

NodeId GroupModel::node_at(const QModelIndex& index) const {
  if (!index.parent().isValid()) return {};
  const FusedGroupId group(static_cast<std::size_t>(index.parent().row()));
  return groups().members[group][static_cast<std::size_t>(index.row())];
}

std::vector<NodeId> GroupModel::members_at(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  const QModelIndex top = index.parent().isValid() ? index.parent() : index;
  const auto members = groups().members[FusedGroupId(static_cast<std::size_t>(top.row()))];
  return {members.begin(), members.end()};
}

QModelIndex GroupModel::index_of(NodeId node) const {
  const FusedGroupId group = study_ == nullptr ? FusedGroupId() : groups().of(node);
  if (!group.valid()) return {};
  const auto members = groups().members[group];
  const auto at = std::ranges::find(members, node) - members.begin();
  return index(static_cast<int>(at), 0, index(static_cast<int>(group.index()), 0));
}

QModelIndex GroupModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  const bool is_member = parent.isValid();
  return createIndex(row, column, is_member ? static_cast<quintptr>(parent.row()) + 1 : no_group);
}

QModelIndex GroupModel::parent(const QModelIndex& index) const {
  if (!index.isValid() || index.internalId() == no_group) return {};
  return createIndex(static_cast<int>(index.internalId() - 1), 0, no_group);
}

int GroupModel::rowCount(const QModelIndex& parent) const {
  if (study_ == nullptr || parent.column() > 0) return 0;
  if (!parent.isValid()) return static_cast<int>(groups().members.size());
  if (parent.internalId() != no_group) return 0;
  return static_cast<int>(members_at(parent).size());
}

int GroupModel::columnCount(const QModelIndex&) const { return 2; }

QVariant GroupModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const NodeId node = node_at(index);
  if (!node.valid()) return group_text(index.row(), index.column());
  if (index.column() == Column::name) return node_text(*study_, node);
  return shown(opened_operator(*study_, study_->current->dataflow.origin(node)));
}

QString GroupModel::group_text(int row, int column) const {
  const FusedGroupId group(static_cast<std::size_t>(row));
  if (column == Column::name) return tr("Group %1").arg(row + 1);
  return counted(groups().members[group].size(), tr("1 node"), tr("%1 nodes"));
}

QVariant GroupModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == Column::name ? tr("Fused nodes") : tr("Operator");
}

}  // namespace stashscope::ui
