#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace reduction_test {

struct ReducedShape {
  Dims dims;
  Dims axes;
};

/// All, rows (short, long, few), columns (even and odd), and axes in between.
const std::vector<ReducedShape> shapes = {
    {{70001}, {0}},
    {{2, 3, 5}, {}},
    {{6, 7}, {1}},
    {{5, 100}, {-1}},
    {{3, 5000}, {1}},
    {{1, 100003}, {1}},
    {{200, 64}, {0}},
    {{3000, 24}, {0}},
    {{100, 33}, {0}},
    {{2000, 3}, {0}},
    {{2, 4, 3, 40}, {1, 2}},
    {{2, 3, 4, 5}, {0, 2}},
    {{4, 3, 7, 7}, {0, 2, 3}},
    {{40, 2, 48, 48}, {0, 2, 3}},
    {{2, 3, 4, 5, 6}, {1, 3}},
    {{3, 1, 4}, {1}},
    {{3, 0, 4}, {1}},
    {{0, 4}, {1}},
};

OneNode reduction(const std::string& type, const Tensor& x, const Dims& axes) {
  OneNode node = {type, {x}};
  if (!axes.empty()) {
    node.inputs.push_back(integers({static_cast<std::int64_t>(axes.size())}, axes));
  }
  return node;
}

double tolerance_of_sums(ElementType element) {
  return element == ElementType::float32 ? 1e-5 : order_tolerance(element);
}

TEST(CudaReductions, SumAlongAnyAxes) {
  std::vector<KernelCase> cases;
  for (const ReducedShape& shape : shapes) {
    for (const ElementType element : device_floats) {
      cases.push_back({reduction("ReduceSum", random_tensor(element, shape.dims, 0.5), shape.axes),
                       tolerance_of_sums(element)});
    }
    cases.push_back(
        {reduction("ReduceMean", random_tensor(ElementType::float64, shape.dims), shape.axes),
         1e-12});
  }
  expect_as_on_cpu(cases);
}

struct ReducedNumbers {
  const char* type;
  double mean;
  double deviation;
  bool exact = false;
};

/// Products of many numbers stay finite only near 1; logarithms need positive sums.
const ReducedNumbers kinds[] = {
    {"ReduceMean", 0.5, 1},    {"ReduceSumSquare", 0, 1}, {"ReduceL1", 0, 1},
    {"ReduceL2", 0, 1},        {"ReduceLogSum", 2, 0.5},  {"ReduceLogSumExp", 0, 1},
    {"ReduceMax", 0, 1, true}, {"ReduceMin", 0, 1, true}, {"ReduceProd", 1, 0.005}};

TEST(CudaReductions, AreThoseOfTheCpu) {
  const std::vector<ReducedShape> few = {{{2, 3, 5}, {}},        {{5, 100}, {1}},
                                         {{2, 30000}, {1}},      {{900, 24}, {0}},
                                         {{2, 3, 4, 5}, {1, 3}}, {{3, 0, 2}, {1}}};
  std::vector<KernelCase> cases;
  for (const ReducedNumbers& kind : kinds) {
    for (const ReducedShape& shape : few) {
      for (const ElementType element : device_floats) {
        const Tensor x = random_tensor(element, shape.dims, kind.mean, kind.deviation);
        cases.push_back(
            {reduction(kind.type, x, shape.axes), kind.exact ? 0 : tolerance_of_sums(element)});
      }
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaReductions, TakeIntegersAndFlags) {
  std::vector<std::int64_t> items(3 * 70);
  std::vector<char> signs(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    items[i] = static_cast<std::int64_t>(i * 7919 % 101) - 50;
    signs[i] = i < 140 && i % 5 != 0;
  }
  const Tensor wide = integers({3, 70}, items);
  const Tensor narrow =
      tensor_of(ElementType::int8, {3, 70}, std::vector<std::int8_t>(items.begin(), items.end()));
  const Tensor natural = tensor_of(ElementType::uint16, {3, 70},
                                   std::vector<std::uint16_t>(items.begin(), items.end()));
  std::vector<KernelCase> cases;
  for (const char* type : {"ReduceSum", "ReduceMean", "ReduceSumSquare", "ReduceL1", "ReduceL2",
                           "ReduceMax", "ReduceMin", "ReduceProd"}) {
    for (const Tensor& x : {wide, narrow, natural}) {
      for (const std::int64_t axis : {0, 1}) cases.push_back({reduction(type, x, {axis})});
    }
  }
  for (const char* type : {"ReduceMax", "ReduceMin"}) {
    cases.push_back({reduction(type, flags({3, 70}, signs), {1})});
    cases.push_back({reduction(type, flags({3, 0}, {}), {1})});
    cases.back().node.opset = cases[cases.size() - 2].node.opset = 20;
  }
  expect_as_on_cpu(cases);
}

TEST(CudaReductions, TakeAxesAsTheVersionsDo) {
  const Tensor x = random_tensor(ElementType::float32, {3, 4, 5});
  const Attributes no_op = {{"noop_with_empty_axes", std::int64_t{1}}};
  const Attributes dropped = {{"keepdims", std::int64_t{0}}};
  std::vector<KernelCase> cases = {
      {{"ReduceSum", {x}, no_op}, 1e-6},
      {{"ReduceSumSquare", {x, integers({0}, {})}, no_op}, 1e-6},
      {{"ReduceSum", {x, integers({0}, {})}}, 1e-6},
      {{"ReduceMean", {x, integers({2}, {0, -1})}, dropped}, 1e-6},
      {{"ReduceMax", {x}, {{"axes", Integers{1}}}, 13}},
      {{"ReduceSum", {x}, {{"axes", Integers{0, 1}}}, 11}, 1e-6},
  };
  expect_as_on_cpu(cases);
}

TEST(CudaReductions, KeepInfinitiesAndNotANumber) {
  const float infinity = INFINITY;
  const Tensor x =
      singles({5, 4}, {1, infinity,  2, 3,   -infinity, -infinity, -infinity, -infinity, 1, NAN, 2,
                       3, -infinity, 2, 300, 200,       NAN,       0,         infinity,  1});
  std::vector<KernelCase> cases;
  for (const char* type : {"ReduceLogSumExp", "ReduceMax", "ReduceMin", "ReduceSum"}) {
    for (const std::int64_t axis : {0, 1}) cases.push_back({reduction(type, x, {axis}), 1e-6});
  }
  for (const char* type : {"ArgMax", "ArgMin"}) {
    for (const std::int64_t axis : {0, 1}) {
      for (const std::int64_t last : {0, 1}) {
        cases.push_back({{type, {x}, {{"axis", axis}, {"select_last_index", last}}}});
      }
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaReductions, FindTheExtremes) {
  std::vector<KernelCase> cases;
  const auto add = [&](const Tensor& x, std::int64_t axis) {
    for (const char* type : {"ArgMax", "ArgMin"}) {
      for (const std::int64_t last : {0, 1}) {
        cases.push_back({{type, {x}, {{"axis", axis}, {"select_last_index", last}}}});
      }
    }
  };
  add(random_tensor(ElementType::bfloat16, {3, 9000}), 1);
  add(random_tensor(ElementType::bfloat16, {1, 90000}), -1);
  add(random_tensor(ElementType::float16, {700, 5}), 0);
  add(random_tensor(ElementType::float32, {2, 5, 4}), 1);
  add(integers({2, 3}, {4, 4, 1, 0, 2, 2}), 1);
  cases.push_back({{"ArgMax", {integers({2, 2}, {1, 5, 3, 3})}, {{"keepdims", std::int64_t{0}}}}});
  expect_as_on_cpu(cases);
}

TEST(CudaReductions, SumUpTo) {
  std::vector<KernelCase> cases;
  for (const std::int64_t axis : {0, 1, -1}) {
    for (const std::int64_t exclusive : {0, 1}) {
      for (const std::int64_t reverse : {0, 1}) {
        const Attributes how = {{"exclusive", exclusive}, {"reverse", reverse}};
        const Tensor along = integers({}, {axis});
        cases.push_back(
            {{"CumSum", {random_tensor(ElementType::float32, {3, 4, 70}), along}, how}, 1e-6});
        cases.push_back(
            {{"CumSum", {integers({2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}), along}, how}});
        cases.push_back(
            {{"CumSum", {random_tensor(ElementType::float16, {2, 3, 5}), along}, how}, 1e-3});
      }
    }
  }
  expect_as_on_cpu(cases);
}

}  // namespace reduction_test
}  // namespace stashscope::testing_run
