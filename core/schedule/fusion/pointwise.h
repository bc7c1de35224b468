#pragma once

#include "core/graph/dataflow.h"

namespace stashscope {

/// Whether a node of the dataflow can run block by block with other nodes of its shape. Such a node
/// has a single output of known shape, whose elements take whole bytes. Each element of the output
/// depends only on the elements at the same position of operands of this shape, and on
/// single-element operands.
bool is_pointwise(const Graph& graph, const Dataflow& dataflow, NodeId node);

}  // namespace stashscope
