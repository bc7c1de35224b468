#pragma once

#include <span>
#include <vector>

#include "core/graph/tensor.h"

namespace stashscope {

/// All elements of a floating or integer tensor as numbers; empty for other types.
std::vector<double> numbers(const Tensor& tensor);

/// How far two lists of numbers are apart.
struct Difference {
  /// Largest
  /// actual - expected
  /// . Infinite when the lengths differ or only one side is NaN; NaN on both sides counts as equal.
  double largest = 0;
  double largest_value = 0;  ///< largest |expected|, of the finite elements
};

Difference difference(std::span<const double> actual, std::span<const double> expected);

}  // namespace stashscope
