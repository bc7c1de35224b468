#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Throws an input Error when the element type, the rank or a fixed dim of a given tensor differs
/// from the model. The Error names the value, and the given and the required type or shape. All
/// other dims accept any size.
void check_given(const Graph& graph, const Value& value, const Tensor& tensor);

/// Throws an input Error that names the first graph input or output that is a sequence, a map, an
/// optional or a tensor of strings. A step with such values can be analysed, but not run.
void check_all_tensors(const Graph& graph);

}  // namespace stashscope
