#pragma once

#include <cmath>

#include "core/run/cpu/primitives/shared_names.h"
#include "core/run/cpu/primitives/sums.h"
#include "core/run/shared/epsilon.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

inline double square(double x) { return x * x; }

/// Maps x to (x - mean) * inverse deviation.
struct Normal {
  double mean = 0;
  double inverse = 1;

  double operator()(double x) const { return (x - mean) * inverse; }
};

/// Computes the Normal of `count` elements from their mean and population variance, in two passes.
template <class C>
Normal normal_of(const C* x, std::int64_t count, double epsilon) {
  const auto size = static_cast<double>(count);
  const double mean = sum_of(x, count) / size;
  const double squares =
      sum_of(count, [&](std::int64_t i) { return square(static_cast<double>(x[i]) - mean); });
  return {mean, 1 / std::sqrt(squares / size + epsilon)};
}

}  // namespace stashscope::cpu
