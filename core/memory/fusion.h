#pragma once

#include <vector>

#include "core/memory/timeline.h"

namespace stashscope {

using FusedGroupId = Id<struct FusedGroupTag>;

/// Groups of nodes that run as one kernel, block by block. A value that is no graph output needs no
/// buffer if only members of its own group read it.
struct FusedGroups {
  IdVector<NodeId, FusedGroupId> group_of;  ///< invalid for a node that is not fused; the vector is
                                            ///< empty if there are no groups
  IdRows<FusedGroupId, NodeId> members;     ///< two or more nodes per group, producers first

  bool empty() const { return members.size() == 0; }
  /// Does not compare `members`, because `group_of` determines them.
  friend bool operator==(const FusedGroups& a, const FusedGroups& b) {
    return a.group_of == b.group_of;
  }
  /// Invalid for a node that is not fused.
  FusedGroupId of(NodeId node) const { return empty() ? FusedGroupId() : group_of[node]; }
};

/// @param members one row per group, producers before readers
FusedGroups make_groups(std::size_t nodes, IdRows<FusedGroupId, NodeId> members);

/// Whether a node of the group makes the value.
bool is_made_in(const FusedGroups& groups, FusedGroupId group, const Topology& topology,
                ValueId value);

/// A dataflow in which each group is represented by one member, its leader. The leader reads all
/// inputs that come from outside the group and produces all outputs that leave it. Other members
/// have neither inputs nor outputs. Node and value ids stay the same.
struct FusedStep {
  Dataflow dataflow;
  IdVector<NodeId, bool> is_leader;
  IdRows<NodeId, BufferShare> in_place;  ///< in-place rules of leaders; empty rows for other nodes
};

FusedStep fuse(const Graph& graph, const Dataflow& dataflow, const BufferRules& rules,
               const FusedGroups& groups);

/// The leader's id. @pre group has members
NodeId leader_of(const Dataflow& dataflow, const FusedGroups& groups, FusedGroupId group);

/// The `order` of a fused step, with each leader replaced by all members of its group.
std::vector<NodeId> with_members(const Dataflow& dataflow, const FusedGroups& groups,
                                 const std::vector<NodeId>& order);

/// Expands the timeline of a fused step to the original nodes. While any member runs, all inputs
/// and outputs of its group are live.
Timeline with_members(const Dataflow& dataflow, const FusedGroups& groups, Timeline timeline);

}  // namespace stashscope
