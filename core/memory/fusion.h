#pragma once

#include <vector>

#include "core/memory/timeline.h"

namespace stashscope {

using GroupId = Id<struct GroupTag>;

/// Which nodes of a dataflow run as one: block by block, so that what only they read needs no
/// buffer.
struct FusedGroups {
  IdVector<NodeId, GroupId> group_of;  ///< invalid: runs alone; empty: there are no groups
  IdRows<GroupId, NodeId> members;     ///< two or more, producers before readers

  bool empty() const { return members.size() == 0; }
  /// Invalid for a node that runs alone.
  GroupId of(NodeId node) const { return empty() ? GroupId() : group_of[node]; }
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
NodeId leader_of(const Dataflow& dataflow, const FusedGroups& groups, GroupId group);

/// An order of the fused step's nodes with all members of a group in the place of its leader.
std::vector<NodeId> with_members(const Dataflow& dataflow, const FusedGroups& groups,
                                 const std::vector<NodeId>& order);

/// The timeline of a fused step for the nodes that it was made of: while a member runs, all that
/// the group reads and makes is there.
Timeline with_members(const Dataflow& dataflow, const FusedGroups& groups, Timeline timeline);

}  // namespace stashscope
