#pragma once

#include "core/graph/dataflow.h"
#include "core/recompute/opportunities.h"

namespace stashscope {

/// Whether each node of the graph belongs to the forward pass, derived from the boundary between
/// forward and backward; without a boundary, from the node's name and operator.
IdVector<NodeId, bool> forward_nodes(const Graph& graph, const Stash& stash);

/// Whether each node of `dataflow`, a dataflow of the graph, belongs to the forward pass. Added
/// nodes belong to the backward pass.
IdVector<NodeId, bool> forward_nodes(const Graph& graph, const Dataflow& dataflow,
                                     const Stash& stash);

}  // namespace stashscope
