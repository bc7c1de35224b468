#pragma once

#include <random>

#include "../cpu/element_types.h"
#include "kernel_cases.h"

namespace stashscope::testing_run {

inline constexpr ElementType device_floats[] = {ElementType::float32, ElementType::float16,
                                                ElementType::bfloat16};

/// Normally distributed numbers, always the same ones for a shape and a distribution.
inline Tensor random_tensor(ElementType element, std::vector<std::int64_t> dims, double mean = 0,
                            double deviation = 1) {
  std::seed_seq seeds = {element_count(dims), std::ssize(dims),
                         static_cast<std::int64_t>(1000 * mean),
                         static_cast<std::int64_t>(1000 * deviation)};
  std::mt19937_64 random(seeds);
  std::normal_distribution<double> normal(mean, deviation);
  std::vector<double> items(static_cast<std::size_t>(element_count(dims)));
  for (double& item : items) item = normal(random);
  return converted(doubles(std::move(dims), items), element);
}

/// Relative to the largest value: sums are made in another order than on the CPU, which may change
/// the last bit of what is stored.
inline double order_tolerance(ElementType element) {
  switch (element) {
    case ElementType::float64:
      return 1e-12;
    case ElementType::float16:
      return 1e-3;
    case ElementType::bfloat16:
      return 8e-3;
    default:
      return 2e-6;
  }
}

}  // namespace stashscope::testing_run
