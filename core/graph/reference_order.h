#pragma once

#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// Kahn's algorithm with the reference's priorities: a ready Shape or Size first, then ordinary
/// nodes before clones, then what the YieldOp (or the loss, without one) needs, then the lowest id.
/// @param forward_ends the nodes that forward leads to
std::vector<NodeId> reference_order(const Graph& graph, const Dataflow& dataflow,
                                    const std::vector<NodeId>& forward_ends);

/// Whether that order runs the node as soon as it is ready: a Shape or Size.
bool runs_first(const Node& node);

}  // namespace stashscope
