#pragma once

// Tensors for cases, of any element type.

#include <vector>

#include "core/graph/tensor.h"

namespace stashscope::testing_run {

using Dims = std::vector<std::int64_t>;

/// `numbers` as elements of a type.
Tensor tensor_of_numbers(ElementType element, Dims dims, const std::vector<double>& numbers);

/// Numbers between `low` and `high`, spread evenly in an order without pattern; whole for integers,
/// 0 and 1 for booleans.
Tensor spread(ElementType element, Dims dims, double low = -3, double high = 3);

}  // namespace stashscope::testing_run
