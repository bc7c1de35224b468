#pragma once

#include "core/schedule/fusion/group_builder.h"

namespace stashscope {

/// Groups that always have a valid order in which each group stays together. A merge looks only at
/// the groups that lie between the two merged groups in this order. Source: Pearce and Kelly, "A
/// dynamic topological sort algorithm for directed acyclic graphs" (2007), with merges instead of
/// new edges.
class AcyclicGroups {
 public:
  AcyclicGroups(const FusableNodes& nodes, const Topology& topology);
  AcyclicGroups(FusableNodes&& nodes, const Topology& topology) = delete;

  /// Returns false and changes nothing if the nodes cannot be merged (GroupBuilder::can_merge) or
  /// if a path between their groups leads through another group.
  bool merge(NodeId a, NodeId b);

 private:
  /// Groups between two places of the order, each group represented by one of its nodes.
  using Groups = std::vector<NodeId>;

  std::size_t place(NodeId node) const { return place_[builder_.root(node)]; }
  /// The groups before `last` that depend on `first`. nullopt if `last` depends on one of these
  /// groups.
  std::optional<Groups> led_to(NodeId first, NodeId last);
  /// The groups after `first` on which `last` depends.
  Groups leading_to(NodeId first, NodeId last);
  void reorder(Groups before, NodeId merged, Groups after, std::size_t first, std::size_t last);
  bool is_new(NodeId node);

  const Topology& topology_;
  GroupBuilder builder_;
  IdVector<NodeId, std::size_t> place_;    ///< place of a group in the order, by root
  IdVector<NodeId, std::size_t> seen_by_;  ///< the last walk that met the group, by root
  std::size_t walk_ = 0;
};

}  // namespace stashscope
