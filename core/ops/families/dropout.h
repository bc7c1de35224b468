#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether a dropout node may drop elements. False only if the node is known to run in evaluation
/// mode, in which the output equals the input.
bool dropout_trains(const Graph& graph, const Node& node);

}  // namespace stashscope
