#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// The same graph with the type, the symbolic shape and (for small integer tensors) the elements of
/// every value that the operators' rules can tell. Dimension names that must be equal are unified
/// and recorded; equalities that cannot be resolved become constraints. Declared types are kept
/// where no rule applies; where they contradict a rule, the rule wins and a warning says so. Throws
/// an input Error that names the node for shapes or types that cannot be.
Graph infer_shapes(const Graph& graph);

}  // namespace stashscope
