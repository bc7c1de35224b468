#pragma once

#include "core/study/choices/dimensions.h"

namespace stashscope {

/// Whether the dimension is the batch that the step splits.
bool is_split(const Graph& graph, const Dimension& dimension);

/// Throws a usage Error that says which sizes are possible, unless the micro-batches divide the
/// batch.
void check_micro_batches(const Graph& graph, const DimensionValues& values);

}  // namespace stashscope
