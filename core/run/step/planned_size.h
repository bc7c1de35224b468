#pragma once

#include <vector>

#include "core/run/step/runner.h"

namespace stashscope {

/// Throws a run Error if a value of known size takes a different number of bytes in this run than
/// its buffer was planned with. In that case the data contradict the sizes that the model declares,
/// so the prediction is not valid for the run. The sizes of data-dependent values, and unknown
/// sizes, may differ.
/// @param dims the dims of the value in this run @param bytes its bytes in this run
void require_planned_size(const Graph& graph, const Dataflow& dataflow, const Timeline& timeline,
                          ValueId value, const std::vector<std::int64_t>& dims, std::int64_t bytes);

}  // namespace stashscope
