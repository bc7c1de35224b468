#pragma once

#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// The plan that runs a subgraph alone: captured values become inputs, and every input gets the
/// type of its tensor in `inputs`. Throws a run Error when a tensor is missing.
RunPlan subgraph_plan(const Graph& body, const NamedTensors& inputs);

}  // namespace stashscope::cpu
