#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/recompute/opportunities.h"

namespace stashscope::layout {

using GroupId = Id<struct GroupTag>;

/// Forward is drawn on the left and runs down, backward on the right and runs up.
enum class Side : std::uint8_t { forward, backward };

/// Nodes that are drawn as one box until the user opens the box: a layer, a block, a run of
/// operators. A group with nodes of both sides has two boxes, which are partners.
struct Group {
  std::string path;             ///< unique; a `/` before each name; empty for the root
  std::string label;            ///< text on the box
  GroupId parent;               ///< invalid for the root
  std::vector<GroupId> groups;  ///< in the order of the model's file (`SourceOrder`)
  std::vector<NodeId> nodes;    ///< nodes outside of all inner groups, ascending
  bool is_layer = false;        ///< one of a numbered series of siblings
};

/// Names of operators on boxes, where they differ from the type of the operator.
using OperatorNames = std::map<NodeId, std::string>;

/// The name of the operator of a node of the graph.
const std::string& operator_name(const Graph& graph, const OperatorNames& names, NodeId node);

/// A tree over the nodes of a graph. Equal graphs with equal sides give equal ids. Clones belong to
/// the groups of their originals, on the backward side.
struct Grouping {
  IdVector<GroupId, Group> groups;  ///< parents before children; the first is the root
  IdVector<NodeId, GroupId> group_of;
  IdVector<NodeId, Side> side;
  IdVector<NodeId, NodeId> partner;  ///< forward node of a gradient node; invalid: none, or unknown

  OperatorNames operator_names;

  GroupId root() const { return GroupId(0); }
};

/// The side of every node, see `forward_nodes`.
IdVector<NodeId, Side> sides_of(const Graph& graph, const Opportunities& opportunities);

/// Groups nodes by their module paths (`path_of`). Nodes without a path join their neighbours or
/// form runs of bounded length.
Grouping make_grouping(const Graph& graph, const IdVector<NodeId, Side>& side,
                       OperatorNames operator_names = {});

/// The name of a group in texts: its modules joined by `/`. A group that is not a module has the
/// name of the module around it and its own label.
std::string name_of(const Group& group);

/// The groups to draw open. A group is drawn open only if all groups around it are open too. The
/// root is always open.
using OpenGroups = std::set<GroupId>;

/// The groups that are open at first. Opens the groups that contain layers, level by level, as long
/// as the boxes fit one screen.
OpenGroups initially_open(const Grouping& grouping);

}  // namespace stashscope::layout
