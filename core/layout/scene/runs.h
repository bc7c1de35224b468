#pragma once

#include "core/layout/scene/group_tree.h"

namespace stashscope::layout {

/// Limits on the boxes that a group shows, and the sizes of new groups.
struct RunLimits {
  std::size_t most_items = 96;   ///< limit on the items of a group
  std::size_t most_at_top = 40;  ///< the root gathers its nodes if it has more items than this
  std::size_t piece = 24;        ///< limit on the items of a new group
  std::size_t shortest = 4;      ///< shorter runs of nodes get no group
};

/// Keeps every group short. If a group has too many items (nodes and inner groups), gathers
/// consecutive nodes into new inner groups. While there are still too many items, gathers
/// consecutive items into new groups.
/// @param facts the sides, partners and operator names of the nodes; a gradient node joins the
/// group of its forward node
void gather_runs(GroupTree& tree, const Graph& graph, const Grouping& facts,
                 const RunLimits& limits = {});

}  // namespace stashscope::layout
