#pragma once

#include "core/graph/dataflow.h"

namespace stashscope {

/// Whether a node of the dataflow can be run block by block with others of its shape: its one
/// output has known dims and whole bytes, and every element of it depends on nothing but the
/// elements at the same place of operands of these dims, and on operands of a single element.
bool is_pointwise(const Graph& graph, const Dataflow& dataflow, NodeId node);

}  // namespace stashscope
