#pragma once

#include <span>
#include <vector>

#include "core/graph/tensor.h"

namespace stashscope {

/// All elements of a tensor as numbers; empty if neither Tensor::reals nor Tensor::integers returns
/// them.
std::vector<double> numbers(const Tensor& tensor);

/// The difference between an actual and an expected list of numbers.
struct Difference {
  /// Largest absolute difference of two numbers at the same index. Infinite when the lengths differ
  /// or one number is NaN and the other is not; two NaN are equal.
  double largest = 0;
  double largest_value = 0;  ///< largest absolute value of the finite expected numbers
};

Difference difference(std::span<const double> actual, std::span<const double> expected);

}  // namespace stashscope
