#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether every element of output 0 depends on the elements at the same place of the (broadcast)
/// inputs and on nothing else.
bool is_elementwise(const Node& node);

}  // namespace stashscope
