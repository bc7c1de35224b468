#pragma once

#include "core/memory/timeline.h"

namespace stashscope {

/// Bytes that each node needs beside its inputs and outputs: for those with subgraphs (If, Loop,
/// Scan) the peak of the one that needs most, by the same memory model, nested ones included. What
/// a subgraph captures, and what it hands out as the node's own output, is not part of it.
/// @param graph with inferred shapes, whose subgraphs speak in its dimension names
IdVector<NodeId, std::int64_t> workspace_bytes(const Graph& graph, const Bindings& bindings);

/// Counts the workspace of each node while it runs.
void add_workspace(Timeline& timeline, const Dataflow& dataflow,
                   const IdVector<NodeId, std::int64_t>& workspace);

}  // namespace stashscope
