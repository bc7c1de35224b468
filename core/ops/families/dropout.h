#pragma once

#include "core/graph/graph.h"

namespace stashscope {

/// Whether a dropout node may drop elements. False only when it is known to run in evaluation mode,
/// where it passes its input through.
bool dropout_trains(const Graph& graph, const Node& node);

}  // namespace stashscope
