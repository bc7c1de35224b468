#pragma once

// Tensors for cases, of any element type.

#include <vector>

#include "core/graph/tensor.h"

namespace stashscope::testing_run {

using Dims = std::vector<std::int64_t>;

/// `numbers` as elements of a type.
Tensor tensor_of_numbers(ElementType element, Dims dims, const std::vector<double>& numbers);

/// Numbers between `low` and `high`, spread evenly in an order without pattern; whole for integers,
/// 0 and 1 for booleans. Other ones for each `variant`.
Tensor spread(ElementType element, Dims dims, double low = -3, double high = 3,
              unsigned variant = 0);

/// Elements that do not matter: floats between -1 and 1, whole numbers from 0 to 49, booleans.
Tensor made_up(ElementType element, Dims dims, unsigned variant = 0);

/// Normally distributed numbers, always the same ones for a shape and a distribution.
Tensor random_tensor(ElementType element, Dims dims, double mean = 0, double deviation = 1);

}  // namespace stashscope::testing_run
