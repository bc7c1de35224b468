#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace softmax_test {

constexpr std::int64_t any_axis = -1000;

Attributes axis_attribute(std::int64_t axis) {
  Attributes attributes;
  if (axis != any_axis) attributes.set("axis", axis);
  return attributes;
}

struct SoftmaxShape {
  Dims dims;
  std::int64_t axis = any_axis;
  std::int64_t opset = 13;
};

/// Parts of a warp, a warp, a block, rows in passes (aligned or not), and outer axes.
const std::vector<SoftmaxShape> shapes = {
    {{5, 3}},
    {{9, 40}},
    {{3, 2, 1024}},
    {{6, 129}},
    {{2, 5000}},
    {{3, 1, 70001}, 2},
    {{1, 65536}},
    {{3, 7, 5}, 1},
    {{2, 3, 4, 5}, -3},
    {{2, 3, 4}, any_axis, 11},
    {{2, 3, 36}, 0, 11},
    {{4, 0, 3}, 2},
};

TEST(CudaSoftmax, IsThatOfTheCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : device_floats) {
    for (const SoftmaxShape& shape : shapes) {
      for (const char* type : {"Softmax", "LogSoftmax"}) {
        const Tensor x = random_tensor(element, shape.dims, 1, 4);
        const OneNode node = {type, {x}, axis_attribute(shape.axis), shape.opset};
        cases.push_back({node, order_tolerance(element)});
        cases.push_back({node, order_tolerance(element), InPlace{0, 0}});
      }
    }
  }
  cases.push_back({{"Softmax", {random_tensor(ElementType::float64, {3, 50})}}, 1e-13});
  expect_as_on_cpu(cases);
}

TEST(CudaSoftmax, KeepsInfinitiesAndNotANumber) {
  const float infinity = INFINITY;
  std::vector<float> rows(3 * 40000, 1);
  for (std::size_t i = 0; i < 40000; ++i) rows[i] = -infinity;
  for (std::size_t i = 40000; i < 79990; ++i) rows[i] = -infinity;
  rows[100000] = NAN;
  std::vector<KernelCase> cases;
  for (const char* type : {"Softmax", "LogSoftmax"}) {
    cases.push_back({{type, {singles({3, 40000}, rows)}}, 1e-6});
    cases.push_back({{type,
                      {singles({4, 3}, {-infinity, 0, 1, -infinity, -infinity, -infinity, infinity,
                                        0, 1, NAN, 0, -infinity})}},
                     1e-6});
  }
  expect_as_on_cpu(cases);
}

TEST(CudaSoftmax, HasTheGradientOfTheCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : device_floats) {
    for (const SoftmaxShape& shape : shapes) {
      for (const std::string type : {"SoftmaxGrad", "LogSoftmaxGrad"}) {
        const Tensor dy = random_tensor(element, shape.dims, 0.3);
        const Tensor y = random_tensor(element, shape.dims, -2, 0.5);
        const OneNode node = {
            shape.opset < 13 ? type : type + "_13", {dy, y}, axis_attribute(shape.axis)};
        cases.push_back({node, order_tolerance(element)});
        cases.back().node.domain = "com.microsoft";
        cases.push_back({cases.back().node, order_tolerance(element), InPlace{0, 0}});
      }
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaSoftmax, AddsABiasThatBroadcasts) {
  std::vector<KernelCase> cases;
  const auto add = [&](ElementType element, const Dims& data, const Dims& bias, std::int64_t axis) {
    const OneNode node = {
        .type = "BiasSoftmax",
        .inputs = {random_tensor(element, data, 0, 3), random_tensor(element, bias, 0, 3)},
        .attributes = axis_attribute(axis),
        .domain = "com.microsoft"};
    cases.push_back({node, order_tolerance(element)});
    cases.push_back({node, order_tolerance(element), InPlace{0, 0}});
  };
  for (const ElementType element : device_floats) {
    add(element, {2, 3, 16, 24}, {2, 1, 1, 24}, 3);
    add(element, {2, 3, 16, 24}, {1, 1, 16, 24}, 3);
    add(element, {2, 3, 5, 7}, {1, 1, 5, 7}, 2);
    add(element, {2, 3, 40}, {2, 3, 1}, 2);
    add(element, {3, 70000}, {3, 70000}, 1);
    add(element, {3, 70001}, {70001}, 1);
  }
  expect_as_on_cpu(cases);
}

}  // namespace softmax_test
}  // namespace stashscope::testing_run
