#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The nodes as the model's file lists them; a clone runs when the first node that needs it is
/// reached.
std::vector<NodeId> file_order(const Topology& topology);

}  // namespace stashscope
