#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Replaces every If whose condition is known, often from shapes, by the nodes of the branch taken.
/// Returns nothing when there is no such node.
/// @param graph a graph with inferred shapes; the returned graph needs inference again
std::optional<Graph> inline_known_branches(const Graph& graph);

}  // namespace stashscope
