#include <gtest/gtest.h>

#include <limits>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace pooling_test {

struct Pool {
  Dims x;
  Attributes attributes;
};

const std::vector<Pool>& pools() {
  static const std::vector<Pool> list = {
      {{2, 3, 7, 8},
       {{"kernel_shape", Integers{3, 3}},
        {"strides", Integers{2, 2}},
        {"pads", Integers{1, 1, 1, 1}}}},
      {{2, 3, 7, 8},
       {{"kernel_shape", Integers{2, 3}},
        {"strides", Integers{1, 2}},
        {"pads", Integers{0, 1, 1, 2}},
        {"ceil_mode", std::int64_t{1}},
        {"count_include_pad", std::int64_t{1}}}},
      {{2, 3, 9, 8},
       {{"kernel_shape", Integers{3, 2}},
        {"dilations", Integers{2, 3}},
        {"strides", Integers{1, 2}},
        {"pads", Integers{1, 0, 2, 1}}}},
      {{1, 2, 7, 6},
       {{"kernel_shape", Integers{2, 3}},
        {"strides", Integers{3, 4}},
        {"ceil_mode", std::int64_t{1}}}},
      {{2, 3, 10},
       {{"kernel_shape", Integers{3}},
        {"strides", Integers{2}},
        {"auto_pad", std::string("SAME_UPPER")}}},
      {{1, 2, 5, 6, 4},
       {{"kernel_shape", Integers{2, 3, 2}},
        {"strides", Integers{2, 1, 1}},
        {"pads", Integers{0, 1, 1, 1, 0, 0}}}},
  };
  return list;
}

constexpr ElementType floats[] = {ElementType::float32, ElementType::float16, ElementType::bfloat16,
                                  ElementType::float64};

TEST(Pooling, TakesMaximaAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    for (const Pool& each : pools()) {
      const OneNode node = {.type = "MaxPool",
                            .inputs = {made_up(element, each.x)},
                            .attributes = each.attributes,
                            .opset = 19,
                            .outputs = 2};
      const std::vector<Tensor> made = run_node(node);
      cases.push_back({.node = node});
      cases.push_back({.node = {.type = "MaxPoolGrad",
                                .inputs = {made_up(element, made[0].dims(), 5), made[1],
                                           Tensor::int64s(each.x)},
                                .attributes = each.attributes,
                                .domain = "com.microsoft"},
                       .tolerance = order_tolerance(element)});
    }
  }
  Attributes columns = pools()[0].attributes;
  columns.set("storage_order", std::int64_t{1});
  cases.push_back({.node = {.type = "MaxPool",
                            .inputs = {made_up(ElementType::float32, {2, 3, 7, 8})},
                            .attributes = columns,
                            .outputs = 2}});
  cases.push_back({{"MaxPool", {made_up(ElementType::int8, {2, 3, 7, 8})}, pools()[0].attributes}});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  cases.push_back(
      {{"MaxPool", {singles({1, 1, 5}, {nan, 1, 2, nan, 0})}, {{"kernel_shape", Integers{3}}}}});
  expect_as_on_cpu(cases);
}

TEST(Pooling, TakesMeansAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    for (const Pool& each : pools()) {
      const OneNode node = {"AveragePool", {made_up(element, each.x)}, each.attributes, 19};
      cases.push_back({.node = node});
      cases.push_back({.node = {.type = "AveragePoolGrad",
                                .inputs = {made_up(element, run_node(node)[0].dims(), 5),
                                           Tensor::int64s(each.x)},
                                .attributes = each.attributes,
                                .domain = "com.microsoft"}});
    }
  }
  expect_as_on_cpu(cases);
}

TEST(Pooling, ReducesPlanesAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    for (const Dims& x : {Dims{3, 5, 7, 7}, Dims{2, 3, 1100}, Dims{1, 9, 2, 2, 2}}) {
      cases.push_back({{"GlobalAveragePool", {made_up(element, x)}}, order_tolerance(element)});
      cases.push_back({{"GlobalMaxPool", {made_up(element, x)}}});
      Dims y = {x[0], x[1]};
      y.resize(x.size(), 1);
      cases.push_back({.node = {.type = "GlobalAveragePoolGrad",
                                .inputs = {made_up(element, y), Tensor::int64s(x)},
                                .domain = "com.microsoft"}});
    }
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  cases.push_back({{"GlobalMaxPool", {singles({1, 2, 3}, {nan, 1, 2, -1, nan, 3})}}});
  expect_as_on_cpu(cases);
}

}  // namespace pooling_test
}  // namespace stashscope::testing_run
