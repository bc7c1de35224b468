#pragma once

// Compares the results of a step with those of another program or another step.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/core/run/models/model_run.h"

namespace stashscope::testing_run {

/// Expects each result within `tolerance` of its largest value. A gradient that is zero in exact
/// arithmetic, such as that of a key's bias, holds only rounding errors of larger ones.
/// @param suffix what the names of results have behind those of the expected tensors
inline void expect_results(const NamedTensors& made, const NamedTensors& expected, double tolerance,
                           const std::string& suffix = "") {
  double largest = 0;
  for (const auto& [name, tensor] : expected) {
    for (const double number : numbers(tensor)) largest = std::max(largest, std::abs(number));
  }
  const double rounding = largest * std::numeric_limits<float>::epsilon();
  for (const auto& [name, tensor] : expected) {
    ASSERT_TRUE(made.contains(name + suffix)) << name;
    const Difference found = difference(made.at(name + suffix), tensor);
    EXPECT_LE(found.largest, std::max(tolerance * found.largest_value, rounding)) << name;
  }
}

}  // namespace stashscope::testing_run
