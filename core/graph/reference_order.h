#pragma once

#include <vector>

#include "core/graph/dataflow.h"

namespace stashscope {

/// ONNX Runtime's order: Kahn's algorithm with ONNX Runtime's priorities. A ready Shape or Size
/// comes first, then the graph's own nodes before added nodes, then forward nodes before backward
/// nodes, then the lowest id.
/// @param forward_ends the last nodes of forward, from the function of this name in
/// core/graph/boundary.h
std::vector<NodeId> reference_order(const Graph& graph, const Dataflow& dataflow,
                                    const std::vector<NodeId>& forward_ends);

/// ONNX Runtime's default topological order. In release 1.19.2, the name of a cluster lists the
/// cluster's nodes in this order. A depth-first walk starts at the nodes without readers, follows
/// the inputs and puts each node after its producers. Among several producers, the walk visits the
/// deepest first (`depths_of`), and among equally deep producers the one with the highest id.
std::vector<NodeId> depth_first_order(const Topology& topology);

/// Whether ONNX Runtime's order runs the node as soon as it is ready. This holds for Shape and
/// Size.
bool runs_first(const Node& node);

}  // namespace stashscope
