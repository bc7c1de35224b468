#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// The graph with the inferred type, symbolic shape and (for small tensors) elements of every
/// value. Dimension names that must be equal are unified and recorded; equalities that unification
/// cannot solve become constraints. A declared type is kept when no rule applies; when it
/// contradicts a rule, the rule wins and a warning says so. If shapes or types are impossible,
/// throws an input Error that names the node; at a node after a YieldOp, warns instead and keeps
/// the declared types.
Graph infer_shapes(Graph graph);

}  // namespace stashscope
