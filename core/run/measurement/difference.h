#pragma once

#include <span>
#include <vector>

#include "core/graph/tensor.h"

namespace stashscope {

/// All elements as numbers, whether floating or integer; none for other types.
std::vector<double> numbers(const Tensor& tensor);

/// How far two lists of numbers are apart.
struct Difference {
  /// Infinite where the numbers of elements differ, and where only one side is NaN; NaN that was
  /// expected is no difference.
  double largest = 0;
  double largest_value = 0;  ///< of the finite expected elements
};

Difference difference(std::span<const double> actual, std::span<const double> expected);

}  // namespace stashscope
