#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace convolution_test {

struct Convolution {
  Dims x;
  Dims w;
  Attributes attributes = {};
  std::int64_t channels = 0;  ///< of the bias; 0: no bias
};

/// Adds the node and its gradient node, for all of its operands.
void add_cases(std::vector<KernelCase>& cases, const char* type, ElementType element,
               const Convolution& each) {
  OneNode forward = {type, {made_up(element, each.x), made_up(element, each.w)}, each.attributes};
  if (each.channels > 0) forward.inputs.push_back(made_up(element, {each.channels}));
  const Dims y = run_node(forward)[0].dims();
  cases.push_back({forward, order_tolerance(element)});
  cases.push_back(
      {.node = {.type = std::string(type) + "Grad",
                .inputs = {made_up(element, y, 3), forward.inputs[0], forward.inputs[1]},
                .attributes = each.attributes,
                .domain = "com.microsoft",
                .outputs = each.channels > 0 ? 3U : 2U},
       .tolerance = order_tolerance(element)});
}

constexpr ElementType floats[] = {ElementType::float32, ElementType::float16,
                                  ElementType::bfloat16};

TEST(Convolution, IsAsOnCpu) {
  const auto one = std::int64_t{1};
  const std::vector<Convolution> list = {
      {{2, 3, 6, 5}, {4, 3, 3, 2}, {{"pads", Integers{1, 1, 1, 1}}}, 4},
      {{2, 3, 6, 5},
       {4, 3, 3, 3},
       {{"pads", Integers{0, 2, 1, 1}}, {"strides", Integers{2, 1}}},
       4},
      {{2, 3, 7, 6},
       {4, 3, 3, 3},
       {{"auto_pad", std::string("SAME_UPPER")}, {"strides", Integers{2, 2}}},
       4},
      {{1, 3, 7, 6},
       {2, 3, 4, 2},
       {{"auto_pad", std::string("SAME_LOWER")}, {"dilations", Integers{1, 2}}}},
      {{1, 3, 7, 6},
       {2, 3, 3, 3},
       {{"auto_pad", std::string("VALID")}, {"strides", Integers{3, 2}}}},
      {{2, 4, 6, 6}, {6, 2, 3, 3}, {{"group", std::int64_t{2}}, {"dilations", Integers{2, 1}}}, 6},
      {{2, 3, 11}, {4, 3, 3}, {{"pads", Integers{2, 0}}, {"strides", Integers{2}}}, 4},
      {{2, 3, 8}, {3, 1, 3}, {{"group", std::int64_t{3}}, {"pads", Integers{1, 1}}}, 3},
      {{0, 3, 4, 4}, {2, 3, 3, 3}, {{"group", one}}, 2},
  };
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    for (const Convolution& each : list) add_cases(cases, "Conv", element, each);
  }
  expect_as_on_cpu(cases);
}

TEST(Convolution, TransposedIsAsOnCpu) {
  const std::vector<Convolution> list = {
      {{2, 3, 4, 5},
       {3, 2, 3, 3},
       {{"strides", Integers{2, 2}}, {"pads", Integers{1, 1, 1, 1}}},
       2},
      {{2, 3, 4, 5},
       {3, 2, 3, 3},
       {{"strides", Integers{2, 3}},
        {"output_padding", Integers{1, 2}},
        {"pads", Integers{1, 0, 1, 0}}},
       2},
      {{2, 3, 4, 5}, {3, 2, 3, 3}, {{"strides", Integers{2, 2}}, {"pads", Integers{0, 1, 2, 1}}}},
      {{1, 3, 4, 4},
       {3, 2, 3, 3},
       {{"strides", Integers{2, 2}}, {"output_shape", Integers{12, 10}}},
       2},
      {{1, 3, 4, 4},
       {3, 2, 3, 3},
       {{"strides", Integers{2, 2}}, {"auto_pad", std::string("SAME_UPPER")}}},
      {{1, 4, 4, 4},
       {4, 1, 2, 2},
       {{"group", std::int64_t{2}},
        {"dilations", Integers{2, 2}},
        {"output_padding", Integers{1, 1}}},
       2},
      {{2, 3, 5}, {3, 2, 4}, {{"strides", Integers{2}}, {"pads", Integers{1, 1}}}, 2},
  };
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    for (const Convolution& each : list) add_cases(cases, "ConvTranspose", element, each);
  }
  expect_as_on_cpu(cases);
}

TEST(Convolution, SumsLongBiasGradients) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    add_cases(cases, "Conv", element, {{3, 1, 1, 700}, {2, 1, 1, 1}, {}, 2});
  }
  expect_as_on_cpu(cases);
}

TEST(Convolution, RefusesThreeAxesByName) {
  std::vector<KernelCase> cases;
  add_cases(cases, "Conv", ElementType::float32, {{1, 1, 3, 3, 3}, {1, 1, 2, 2, 2}});
  try {
    expect_as_on_cpu(cases);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.reason().find("3 axes"), std::string::npos) << error.what();
  }
}

}  // namespace convolution_test
}  // namespace stashscope::testing_run
