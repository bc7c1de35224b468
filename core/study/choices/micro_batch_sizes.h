#pragma once

#include "core/study/choices/dimensions.h"

namespace stashscope {

/// Whether the dimension is the batch that the step splits.
bool is_split(const Graph& graph, const Dimension& dimension);

/// The dimension, among `dimensions`, that the step splits into micro-batches. Null if the step is
/// not split.
const Dimension* split_batch(const Graph& graph, const std::vector<Dimension>& dimensions);

/// If the number of micro-batches does not divide the batch, throws a usage Error that names
/// possible sizes.
void check_micro_batches(const Graph& graph, const DimensionValues& values);

}  // namespace stashscope
