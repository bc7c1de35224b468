#pragma once

#include <vector>

#include "core/memory/timeline.h"

namespace stashscope {

using FusedGroupId = Id<struct FusedGroupTag>;

/// Which nodes of a dataflow run as one: block by block, so that what only they read needs no
/// buffer.
struct FusedGroups {
  IdVector<NodeId, FusedGroupId> group_of;  ///< invalid: runs alone; empty: there are no groups
  IdRows<FusedGroupId, NodeId> members;     ///< two or more, producers before readers

  bool empty() const { return members.size() == 0; }
  /// The members follow from it.
  friend bool operator==(const FusedGroups& a, const FusedGroups& b) {
    return a.group_of == b.group_of;
  }
  /// Invalid for a node that runs alone.
  FusedGroupId of(NodeId node) const { return empty() ? FusedGroupId() : group_of[node]; }
};

/// @param members of each group, producers before readers
FusedGroups make_groups(std::size_t nodes, const std::vector<std::vector<NodeId>>& members);

/// A dataflow in which one member of each group, its leader, stands for all: it reads what they
/// read of others and makes what leaves the group. The other members neither read nor make
/// anything; ids stay.
struct FusedStep {
  Dataflow dataflow;
  IdVector<NodeId, bool> is_leader;
  IdRows<NodeId, BufferShare> in_place;  ///< of leaders
};

FusedStep fuse(const Graph& graph, const Dataflow& dataflow, const BufferRules& rules,
               const FusedGroups& groups);

/// The leader's id. @pre group has members
NodeId leader_of(const Dataflow& dataflow, const FusedGroups& groups, FusedGroupId group);

/// An order of the fused step's nodes with all members of a group in the place of its leader.
std::vector<NodeId> with_members(const Dataflow& dataflow, const FusedGroups& groups,
                                 const std::vector<NodeId>& order);

/// The timeline of a fused step for the nodes that it was made of: while a member runs, all that
/// the group reads and makes is there.
Timeline with_members(const Dataflow& dataflow, const FusedGroups& groups, Timeline timeline);

}  // namespace stashscope
