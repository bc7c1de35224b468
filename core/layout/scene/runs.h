#pragma once

#include "core/layout/scene/group_tree.h"

namespace stashscope::layout {

/// How many boxes a group may show at once, and what is done about more.
struct RunLimits {
  std::size_t most_items = 96;   ///< in one group; beyond, its items are gathered
  std::size_t most_at_top = 40;  ///< on the first screen
  std::size_t piece = 24;        ///< about so many items are gathered into one group
  std::size_t shortest = 4;      ///< a run of fewer loose nodes stays as it is
};

/// Keeps every level short: consecutive loose nodes of too long a level are gathered into new
/// groups, and these again while there are too many.
/// @param partner forward nodes of gradient nodes, which follow them into their run
void gather_runs(GroupTree& tree, const Graph& graph, const IdVector<NodeId, Side>& side,
                 const IdVector<NodeId, NodeId>& partner, const RunLimits& limits = {});

}  // namespace stashscope::layout
