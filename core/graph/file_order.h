#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The nodes in the order of the model file; an added node runs just before the first node that
/// needs it.
std::vector<NodeId> file_order(const Topology& topology);

}  // namespace stashscope
