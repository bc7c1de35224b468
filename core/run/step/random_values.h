#pragma once

#include "core/graph/graph.h"
#include "core/run/step/runner.h"

namespace stashscope {

/// Marks the values whose elements depend on random numbers. Another program draws other numbers,
/// so its values match these values only by chance. A dropout that is known to drop nothing
/// (evaluation mode, or ratio 0 in the graph or in `inputs`) draws no random numbers.
IdVector<ValueId, bool> random_values(const Graph& graph, const NamedTensors& inputs);

}  // namespace stashscope
