#pragma once

#include <optional>

#include "core/graph/graph.h"

namespace stashscope {

/// Replaces every sequence whose tensors are known (built from known ones at known positions) by
/// these tensors, and AdamWOptimizer, which updates whole sequences, by one AdamOptimizer per
/// tensor. Returns nothing when there is no such node.
/// @param graph with inferred shapes; the result needs inference again
std::optional<Graph> unpack_sequences(const Graph& graph);

}  // namespace stashscope
