#pragma once

// Tensors for cases, of any element type.

#include <vector>

#include "core/graph/tensor.h"

namespace stashscope::testing_run {

using Dims = std::vector<std::int64_t>;

/// `numbers` as elements of a type.
Tensor tensor_of_numbers(ElementType element, Dims dims, const std::vector<double>& numbers);

/// Numbers between `low` and `high`, evenly spread in an irregular order; integers for integer
/// types, 0 and 1 for booleans. Each `variant` gives other numbers.
Tensor spread(ElementType element, Dims dims, double low = -3, double high = 3,
              unsigned variant = 0);

/// Arbitrary elements: floats between -1 and 1, integers from 0 to 49, booleans.
Tensor made_up(ElementType element, Dims dims, unsigned variant = 0);

/// Normally distributed numbers, equal for equal shape and distribution.
Tensor random_tensor(ElementType element, Dims dims, double mean = 0, double deviation = 1);

}  // namespace stashscope::testing_run
