#pragma once

#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// The order with each clone directly before its first reader.
std::vector<NodeId> place_clones_late(const Dataflow& dataflow, std::vector<NodeId> order);

/// The order with each tensor evicted as soon as no remaining forward node reads it or a view of
/// it.
std::vector<NodeId> place_evictions(const Graph& graph, const Dataflow& dataflow,
                                    std::vector<NodeId> order);

}  // namespace stashscope
