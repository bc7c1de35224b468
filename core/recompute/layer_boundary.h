#pragma once

#include <set>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Input 0 of each layer normalization that starts a transformer layer. Such a normalization meets
/// two conditions. First, a residual Add also reads input 0 of the normalization. Second, a path
/// leads from the normalization to an attention (Softmax, BiasSoftmax or a flash attention
/// PythonOp), and the nodes after the normalization on this path come before the Add in the order.
/// @param position position of each node in the order of the analysis
/// @param forward_nodes number of forward nodes, which come first in this order
std::set<ValueId> layer_boundary_inputs(const Graph& graph,
                                        const std::vector<std::size_t>& position,
                                        std::size_t forward_nodes);

}  // namespace stashscope
