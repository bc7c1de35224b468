#include "core/run/measurement/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stashscope {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double distance(double actual, double expected) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected))) return 0;
  const double apart = std::abs(actual - expected);
  return std::isnan(apart) ? infinity : apart;
}

}  // namespace

std::vector<double> numbers(const Tensor& tensor) {
  if (auto reals = tensor.reals()) return std::move(*reals);
  const auto integers = tensor.integers();
  return integers ? std::vector<double>(integers->begin(), integers->end()) : std::vector<double>();
}

Difference difference(std::span<const double> actual, std::span<const double> expected) {
  if (actual.size() != expected.size()) return {infinity};
  Difference result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    result.largest = std::max(result.largest, distance(actual[i], expected[i]));
    if (!std::isfinite(expected[i])) continue;
    result.largest_value = std::max(result.largest_value, std::abs(expected[i]));
  }
  return result;
}

}  // namespace stashscope
