#pragma once

#include <QAbstractItemModel>

#include "core/study/step/study.h"

namespace stashscope::ui {

/// The groups of fused nodes as a tree. Below each group are its members, producers before readers.
class GroupModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Column { name, op };

  using QAbstractItemModel::QAbstractItemModel;

  /// Null empties the tree. If the groups are the same as before, the view keeps its state.
  void set_study(std::shared_ptr<const Study> study);

  /// The node of a member's row; invalid for the row of a group.
  NodeId node_at(const QModelIndex& index) const;
  /// The members of a group, or of the group that a member belongs to.
  std::vector<NodeId> members_at(const QModelIndex& index) const;
  /// The row of a node; invalid if the node runs alone.
  QModelIndex index_of(NodeId node) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const FusedGroups& groups() const { return study_->current->groups; }
  QString group_text(int row, int column) const;

  std::shared_ptr<const Study> study_;
};

}  // namespace stashscope::ui
