#pragma once

#include "core/graph/dataflow.h"

namespace stashscope {

/// Whether a node of the dataflow can run block by block with other nodes of its shape. Such a node
/// has a single output with known dims and whole bytes. Each element of the output depends only on
/// the elements at the same position of operands with these dims, and on single-element operands.
bool is_pointwise(const Graph& graph, const Dataflow& dataflow, NodeId node);

}  // namespace stashscope
