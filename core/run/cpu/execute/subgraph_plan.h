#pragma once

#include "core/run/step/runner.h"

namespace stashscope::cpu {

/// How to run a subgraph by itself: what it captures is an input, and all inputs have the types of
/// the given tensors. Throws a run Error when one is missing.
RunPlan subgraph_plan(const Graph& body, const NamedTensors& inputs);

}  // namespace stashscope::cpu
