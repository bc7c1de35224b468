#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/recompute/opportunities.h"

namespace stashscope::layout {

using GroupId = Id<struct GroupTag>;

/// Forward is drawn on the left and runs down, backward on the right and runs up.
enum class Side : std::uint8_t { forward, backward };

/// Nodes that are drawn as one box until it is opened: a layer, a block of it, a run of operators.
/// Holds the nodes of both sides, which makes its two boxes partners.
struct Group {
  std::string path;             ///< unique; names joined by `/`
  std::string label;            ///< what is written on the box
  GroupId parent;               ///< invalid for the whole step
  std::vector<GroupId> groups;  ///< in order of execution
  std::vector<NodeId> nodes;    ///< those that lie in no inner group, ascending
  bool is_layer = false;        ///< one of a numbered series of siblings
};

/// A tree over the nodes of a graph. The same graph always gives the same ids; clones belong where
/// their originals are, on the backward side.
struct Grouping {
  IdVector<GroupId, Group> groups;  ///< parents before children; the first is the whole step
  IdVector<NodeId, GroupId> group_of;
  IdVector<NodeId, Side> side;
  IdVector<NodeId, NodeId> partner;  ///< the forward node of a gradient node; invalid: unknown

  GroupId root() const { return GroupId(0); }
};

/// The side of every node: by the boundary; by their names where there is none.
IdVector<NodeId, Side> sides_of(const Graph& graph, const Opportunities& opportunities);

/// Groups nodes by the paths in their names; nodes whose names say nothing join their neighbours or
/// fall into runs of bounded length.
Grouping make_grouping(const Graph& graph, const IdVector<NodeId, Side>& side);

/// Groups that are drawn open; a group counts only when all around it are open. The root always is.
using OpenGroups = std::set<GroupId>;

/// Open down to the layers, as far as that stays within one screen.
OpenGroups initially_open(const Grouping& grouping);

}  // namespace stashscope::layout
