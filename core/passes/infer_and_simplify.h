#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// The model with inferred shapes. An If whose condition inference knows is replaced by its branch,
/// and a sequence whose tensors inference knows is replaced by these tensors.
Graph infer_and_simplify(const Graph& model);

}  // namespace stashscope
