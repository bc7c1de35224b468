#pragma once

#include "core/study/choices/dimensions.h"

namespace stashscope {

/// Whether the dimension is the batch that the step splits.
bool is_split(const Graph& graph, const Dimension& dimension);

/// The batch that the step splits, of these dimensions; null if the step is not split.
const Dimension* split_batch(const Graph& graph, const std::vector<Dimension>& dimensions);

/// Throws a usage Error that says which sizes are possible, unless the micro-batches divide the
/// batch.
void check_micro_batches(const Graph& graph, const DimensionValues& values);

}  // namespace stashscope
