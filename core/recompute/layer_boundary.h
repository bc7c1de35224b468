#pragma once

#include <set>
#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Inputs 0 of the layer normalizations that start a transformer layer: the same tensor is also
/// read by a residual Add, and an attention (Softmax, BiasSoftmax or a flash attention PythonOp) is
/// reachable from the normalization through nodes placed before that Add.
/// @param position of each node in the order of the analysis, @param forward_nodes that many come
/// first
std::set<ValueId> layer_boundary_inputs(const Graph& graph,
                                        const std::vector<std::size_t>& position,
                                        std::size_t forward_nodes);

}  // namespace stashscope
