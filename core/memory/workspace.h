#pragma once

#include "core/memory/timeline.h"

namespace stashscope {

/// Bytes that each node needs besides its inputs and outputs. In a captured step, the capture
/// measured these bytes. In other graphs, only nodes with subgraphs (If, Loop, Scan) need
/// workspace: the largest peak of their subgraphs' timelines, nested subgraphs included. Values
/// that a subgraph takes from the graph around it and values that become the node's own outputs do
/// not count.
/// @param graph with inferred shapes; its subgraphs use the graph's dimension names
IdVector<NodeId, std::int64_t> workspace_bytes(const Graph& graph, const Bindings& bindings);

/// Adds each node's workspace to the live bytes of its slot, and updates the peak.
void add_workspace(Timeline& timeline, const Dataflow& dataflow,
                   const IdVector<NodeId, std::int64_t>& workspace);

}  // namespace stashscope
