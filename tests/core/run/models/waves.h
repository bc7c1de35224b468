#pragma once

// Operands and results of nodes whose results another program computed.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/run/cpu/kernels/one_node.h"

namespace stashscope::testing_run {

/// Float32 numbers without order: sin(0.7 i (1 + 0.13 k) + k).
inline Tensor wave(std::vector<std::int64_t> dims, int k) {
  std::vector<float> items(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i) * (1 + 0.13 * k) + k));
  }
  return singles(std::move(dims), items);
}

/// The sums of the items times four other waves. They stand for the whole tensor.
inline std::vector<double> wave_sums(const Tensor& tensor) {
  const std::vector<double> items = numbers(tensor);
  std::vector<double> sums;
  for (int j = 0; j < 4; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < items.size(); ++i) {
      sum += items[i] * std::sin(0.37 * static_cast<double>(i) * (1 + 0.29 * j) + j);
    }
    sums.push_back(sum);
  }
  return sums;
}

/// The wave_sums of several tensors.
using WaveSums = std::vector<std::vector<double>>;

/// A node and what another program computes.
struct WaveCase {
  const char* name;
  OneNode node;
  WaveSums sums;
};

inline void PrintTo(const WaveCase& each, std::ostream* out) { *out << each.name; }

inline std::string wave_case_name(const testing::TestParamInfo<WaveCase>& info) {
  return info.param.name;
}

/// Compares the wave_sums of a tensor, which the other program has rounded to float32.
inline void expect_sums(const Tensor& tensor, const std::vector<double>& expected,
                        const std::string& what) {
  const std::vector<double> found = wave_sums(tensor);
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t j = 0; j < found.size(); ++j) {
    EXPECT_NEAR(found[j], expected[j], 2e-5) << what << ", sum " << j;
  }
}

}  // namespace stashscope::testing_run
