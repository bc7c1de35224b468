#pragma once

#include <optional>

#include "core/graph/graph.h"

namespace stashscope {

/// The same model with every sequence whose tensors can be told (made of known ones, at known
/// positions) replaced by these tensors, and AdamWOptimizer, which updates whole sequences, by one
/// AdamOptimizer for each of their tensors. Nothing when there is none. @param graph with inferred
/// shapes; the result needs to be inferred again
std::optional<Graph> unpack_sequences(const Graph& graph);

}  // namespace stashscope
