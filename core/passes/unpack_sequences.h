#pragma once

#include <optional>

#include "core/graph/graph.h"

namespace stashscope {

/// Replaces every sequence whose tensors are known by its tensors. The tensors are known if the
/// sequence is built from known tensors at known positions. Also replaces AdamWOptimizer, which
/// updates whole sequences, by one AdamOptimizer per tensor. Returns nothing if there is nothing to
/// replace.
/// @param graph a graph with inferred shapes; the returned graph needs inference again
std::optional<Graph> unpack_sequences(const Graph& graph);

}  // namespace stashscope
