#pragma once

#include <set>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// The first inputs of layer normalizations that start a transformer layer. A residual Add also
/// reads such an input, and an attention (Softmax, BiasSoftmax or a flash attention PythonOp) is
/// reachable from the normalization through nodes ordered before that Add.
/// @param position position of each node in the order of the analysis
/// @param forward_nodes number of forward nodes, which come first in this order
std::set<ValueId> layer_boundary_inputs(const Graph& graph,
                                        const std::vector<std::size_t>& position,
                                        std::size_t forward_nodes);

}  // namespace stashscope
