#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Throws an input Error that names the value and both sides when a tensor has another element
/// type, another rank or other fixed dims than the model wants. Named dims take any size.
void check_given(const Graph& graph, const Value& value, const Tensor& tensor);

}  // namespace stashscope
