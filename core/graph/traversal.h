#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Kahn's algorithm, lowest ready id first, so that a sorted graph keeps its order. If the graph
/// has a cycle, the result has fewer nodes than the graph. O(edges + nodes log nodes).
std::vector<NodeId> topological_order(const Topology& topology);

/// The depth of each node: the length of the longest path to it from a node without producers.
/// @param order a topological order of all nodes
IdVector<NodeId, std::uint32_t> depths_of(const Topology& topology,
                                          const std::vector<NodeId>& order);

/// A node on a cycle. @pre the graph has a cycle
NodeId find_cycle_member(const Topology& topology);

/// The ancestors (descendants) of `roots`, including the roots themselves.
IdVector<NodeId, bool> ancestors(const Topology& topology, const std::vector<NodeId>& roots);
IdVector<NodeId, bool> descendants(const Topology& topology, const std::vector<NodeId>& roots);

}  // namespace stashscope
