#pragma once

#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// The order with every clone right before the first node that needs it.
std::vector<NodeId> place_clones_late(const Dataflow& dataflow, std::vector<NodeId> order);

/// The order with tensors put away as soon as nothing of the forward pass reads them, or a view of
/// them, any more.
std::vector<NodeId> place_evictions(const Graph& graph, const Dataflow& dataflow,
                                    std::vector<NodeId> order);

}  // namespace stashscope
