#pragma once

#include <vector>

#include "core/run/step/runner.h"

namespace stashscope {

/// Throws a run Error if a value takes other bytes in this run than its buffer was planned with,
/// although its size is known: then the data contradict the sizes that the model declares, and the
/// memory that was predicted is not that of the run. Sizes that depend on the data, and unknown
/// ones, may differ.
/// @param dims of the value in this run
void require_planned_size(const Graph& graph, const Dataflow& dataflow, const Timeline& timeline,
                          ValueId value, const std::vector<std::int64_t>& dims, std::int64_t bytes);

}  // namespace stashscope
