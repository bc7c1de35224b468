#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Kahn's algorithm; among ready nodes the lowest id first, so a sorted graph keeps its order.
/// Shorter than the node count when the graph has a cycle. O(edges + nodes log nodes).
std::vector<NodeId> topological_order(const Topology& topology);

/// A node on a cycle. @pre the graph has one
NodeId find_cycle_member(const Topology& topology);

/// Nodes from which (to which) one of `roots` can be reached; the roots themselves included.
IdVector<NodeId, bool> ancestors(const Topology& topology, const std::vector<NodeId>& roots);
IdVector<NodeId, bool> descendants(const Topology& topology, const std::vector<NodeId>& roots);

}  // namespace stashscope
