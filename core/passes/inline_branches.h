#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Replaces every If whose condition is known (e.g. from shapes) by the nodes of the branch taken.
/// Returns nothing when there is no such node.
/// @param graph with inferred shapes; the result needs inference again
std::optional<Graph> inline_known_branches(const Graph& graph);

}  // namespace stashscope
