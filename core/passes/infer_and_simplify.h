#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// The model with inferred shapes, without branches of If and sequences that inference knows.
Graph infer_and_simplify(const Graph& model);

}  // namespace stashscope
