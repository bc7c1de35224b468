#pragma once

#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// The order with each clone directly before its first reader.
std::vector<NodeId> place_clones_late(const Dataflow& dataflow, std::vector<NodeId> order);

/// The order with each eviction directly after the last node of the graph that reads the evicted
/// tensor or a view of it, but before the tensor is restored.
std::vector<NodeId> place_evictions(const Graph& graph, const Dataflow& dataflow,
                                    std::vector<NodeId> order);

}  // namespace stashscope
