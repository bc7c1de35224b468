#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether the operator is in a list of frequent elementwise operators. Each element of output 0
/// depends only on the elements at the same position of the (broadcast) inputs.
bool is_elementwise(const Node& node);

}  // namespace stashscope
