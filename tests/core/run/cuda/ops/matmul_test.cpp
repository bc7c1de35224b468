#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace matmul_test {

constexpr ElementType floats[] = {ElementType::float32, ElementType::float16, ElementType::bfloat16,
                                  ElementType::float64};

std::size_t calls_of(const OneNode& node) {
  return lowered_node(context_of(node, run_node(node))).calls.size();
}

OneNode product(ElementType element, Dims a, Dims b) {
  return {"MatMul", {made_up(element, std::move(a)), made_up(element, std::move(b))}};
}

TEST(Matmul, BroadcastsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    const auto add = [&](Dims a, Dims b) {
      cases.push_back({product(element, std::move(a), std::move(b)), order_tolerance(element)});
    };
    add({5}, {5});
    add({5}, {3, 5, 2});
    add({2, 3, 5}, {5});
    add({3, 5}, {5, 4});
    add({2, 3, 5}, {5, 4});
    add({2, 3, 5}, {1, 5, 4});
    add({2, 4, 3, 5}, {2, 4, 5, 2});
    add({2, 1, 3, 5}, {2, 4, 5, 2});
    add({4, 3, 5}, {2, 1, 5, 2});
    add({3, 1, 2, 5}, {4, 5, 3});
    add({3, 5}, {2, 4, 5, 2});
    add({2, 3, 0}, {0, 4});
    add({0, 3, 2}, {2, 4});
  }
  expect_as_on_cpu(cases);
}

TEST(Matmul, TakesFewCalls) {
  EXPECT_EQ(calls_of(product(ElementType::float32, {4, 2, 3, 5}, {5, 2})), 1U);
  EXPECT_EQ(calls_of(product(ElementType::float32, {4, 2, 3, 5}, {4, 2, 5, 2})), 1U);
  EXPECT_EQ(calls_of(product(ElementType::float32, {3, 5}, {4, 2, 5, 2})), 1U);
  EXPECT_EQ(calls_of(product(ElementType::float32, {6, 1, 3, 5}, {2, 5, 2})), 2U);
  EXPECT_EQ(calls_of(product(ElementType::float32, {0, 3, 5}, {5, 2})), 0U);
}

TEST(Matmul, FusedTransposesAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    const auto add = [&](Dims a, Dims b, std::int64_t turns_a, std::int64_t turns_b) {
      cases.push_back(
          {.node = {.type = "FusedMatMul",
                    .inputs = {made_up(element, std::move(a)), made_up(element, std::move(b))},
                    .attributes = {{"alpha", 0.3F}, {"transA", turns_a}, {"transB", turns_b}},
                    .domain = "com.microsoft"},
           .tolerance = order_tolerance(element)});
    };
    add({2, 4, 3, 5}, {2, 4, 2, 5}, 0, 1);
    add({2, 4, 5, 3}, {2, 4, 5, 2}, 1, 0);
    add({4, 5, 3}, {2, 5}, 1, 1);
    add({4, 3, 5}, {2, 5}, 0, 1);
    add({5}, {2, 5}, 1, 1);
  }
  expect_as_on_cpu(cases);
}

TEST(Matmul, GemmAddsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    for (const float beta : {1.0F, -0.7F, 0.0F}) {
      for (const Dims& addend : {Dims{4}, Dims{1, 4}, Dims{3, 1}, Dims{3, 4}, Dims{}, Dims{1}}) {
        cases.push_back({.node = {.type = "Gemm",
                                  .inputs = {made_up(element, {3, 5}), made_up(element, {4, 5}),
                                             made_up(element, addend)},
                                  .attributes = {{"transB", std::int64_t{1}}, {"beta", beta}}},
                         .tolerance = order_tolerance(element)});
      }
    }
    const Attributes turned = {{"transA", std::int64_t{1}}, {"alpha", 2.5F}};
    cases.push_back({{"Gemm", {made_up(element, {5, 3}), made_up(element, {5, 4})}, turned},
                     order_tolerance(element)});
    cases.push_back({{"Gemm",
                      {made_up(element, {0, 3}), made_up(element, {0, 4}), made_up(element, {4})},
                      turned}});
    cases.push_back({{"Gemm", {made_up(element, {0, 3}), made_up(element, {0, 4})}, turned}});
  }
  expect_as_on_cpu(cases);
}

TEST(Matmul, RefusesIntegersByName) {
  try {
    calls_of(product(ElementType::int64, {2, 3}, {3, 2}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.reason().find("int64"), std::string::npos);
  }
}

}  // namespace matmul_test
}  // namespace stashscope::testing_run
