#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Replaces every If whose condition is known (from shapes, say) by the nodes of the branch that is
/// taken. @param graph with inferred shapes; the result needs to be inferred again.
/// Returns nothing when there is no such node.
std::optional<Graph> inline_known_branches(const Graph& graph);

}  // namespace stashscope
