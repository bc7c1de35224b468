#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether the node's operator is in a list of frequent elementwise operators. In such an operator,
/// each element of output 0 depends only on the elements at the same position of the (broadcast)
/// inputs.
bool is_elementwise(const Node& node);

/// Whether the node's operator is in a list of frequent operators that only copy elements. Each
/// element of the outputs of such an operator is an element of the first operand, in the same type.
bool passes_elements_on(const Node& node);

}  // namespace stashscope
