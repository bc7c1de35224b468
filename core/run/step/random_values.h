#pragma once

#include "core/graph/graph.h"
#include "core/run/step/runner.h"

namespace stashscope {

/// Values whose elements depend on numbers drawn at random, so that another program's result is no
/// other but by chance. A dropout that is known to drop nothing (evaluation, or ratio 0, as the
/// graph or `inputs` say) draws nothing.
IdVector<ValueId, bool> random_values(const Graph& graph, const NamedTensors& inputs);

}  // namespace stashscope
