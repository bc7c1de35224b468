// Kernels that move elements: Slice, Split, Concat, Pad, Transpose, Tile and their relatives.

#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace moving_test {

constexpr ElementType moved_types[] = {ElementType::float32, ElementType::float16,
                                       ElementType::boolean, ElementType::int64};

TEST(Slicing, CutsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : moved_types) {
    const Tensor x = made_up(element, {3, 6, 40});
    cases.push_back(
        {{"Slice", {x, integers({2}, {8, 1}), integers({2}, {32, 6}), integers({2}, {-1, 1})}}});
    cases.push_back({{"Slice",
                      {x, integers({2}, {-1, 37}), integers({2}, {-100, 2}), integers({2}, {0, 2}),
                       integers({2}, {-1, -3})}}});
    cases.push_back({{"Slice", {x, integers({1}, {4}), integers({1}, {2}), integers({1}, {1})}}});
    cases.push_back({.node = {.type = "Slice",
                              .inputs = {x},
                              .attributes = {{"starts", Integers{1, -39}},
                                             {"ends", Integers{2, 50}},
                                             {"axes", Integers{0, 2}}},
                              .opset = 9}});
  }
  const Tensor dy = made_up(ElementType::bfloat16, {2, 3, 6});
  cases.push_back(
      {.node = {.type = "SliceGrad",
                .inputs = {dy, integers({3}, {2, 8, 16}), integers({2}, {1, 14}),
                           integers({2}, {7, 2}), integers({2}, {1, 2}), integers({2}, {2, -2})},
                .domain = "com.microsoft"}});
  expect_as_on_cpu(cases);
}

TEST(Slicing, SplitsAndJoinsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : moved_types) {
    const Tensor x = made_up(element, {3, 6, 40});
    cases.push_back({.node = {.type = "Split",
                              .inputs = {x, integers({3}, {8, 24, 8})},
                              .attributes = {{"axis", std::int64_t{2}}},
                              .outputs = 3}});
    cases.push_back({.node = {.type = "Split",
                              .inputs = {x},
                              .attributes = {{"num_outputs", std::int64_t{3}}},
                              .outputs = 3}});
    const Tensor y = made_up(element, {3, 1, 40});
    const Tensor empty = made_up(element, {3, 0, 40});
    cases.push_back({{"Concat", {x, empty, y, x}, {{"axis", std::int64_t{-2}}}}});
    cases.push_back({.node = {.type = "ConcatTraining",
                              .inputs = {y, x},
                              .attributes = {{"axis", std::int64_t{1}}},
                              .domain = "com.microsoft",
                              .outputs = 2}});
  }
  expect_as_on_cpu(cases);
}

TEST(Slicing, PadsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const char* mode : {"constant", "edge", "reflect", "wrap"}) {
    for (const ElementType element : {ElementType::float32, ElementType::float16}) {
      const Attributes attributes = {{"mode", std::string(mode)}};
      const Tensor x = made_up(element, {2, 3, 4, 8});
      const Tensor pads = integers({8}, {0, 1, 2, 0, 0, 0, 3, 5});
      const Tensor rows = integers({2}, {2, 1});
      const Tensor value = made_up(element, {});
      cases.push_back({{"Pad", {x, pads}, attributes, 19}});
      cases.push_back({{"Pad", {x, rows, value, integers({1}, {2})}, attributes, 19}});
      for (const Tensor& each :
           {integers({8}, {1, 0, 1, 3, 0, 2, 2, 0}), integers({8}, {0, 0, 3, 0, 0, 0, 1, 0})}) {
        const Dims before = *each.integers();
        Dims dims = {2, 3, 4, 8};
        for (std::size_t i = 0; i < 4; ++i) dims[i] += before[i] + before[i + 4];
        cases.push_back(
            {.node = {.type = "PadGrad",
                      .inputs = {made_up(element, dims), integers({4}, {2, 3, 4, 8}), each},
                      .attributes = attributes,
                      .domain = "com.microsoft"}});
      }
    }
  }
  const Tensor x = made_up(ElementType::int32, {3, 16});
  cases.push_back({{"Pad", {x, integers({4}, {1, 4, 2, 8})}}});
  cases.push_back(
      {{"Pad", {x, integers({4}, {-1, -3, 2, -8}), tensor_of<int>(ElementType::int32, {}, {7})}}});
  cases.push_back({.node = {.type = "Pad",
                            .inputs = {made_up(ElementType::float16, {3, 5})},
                            .attributes = {{"pads", Integers{1, 0, 0, 2}}, {"value", 1.5F}},
                            .opset = 10}});
  expect_as_on_cpu(cases);
}

TEST(Slicing, KeepsTriangles) {
  std::vector<KernelCase> cases;
  for (const std::int64_t upper : {0, 1}) {
    const Attributes attributes = {{"upper", upper}};
    cases.push_back({{"Trilu", {made_up(ElementType::float16, {2, 5, 7})}, attributes}});
    cases.push_back(
        {{"Trilu", {made_up(ElementType::int64, {6, 4}), integers({}, {-2})}, attributes}});
    cases.push_back(
        {{"Trilu", {made_up(ElementType::boolean, {4, 6}), integers({}, {100})}, attributes}});
  }
  expect_as_on_cpu(cases);
}

TEST(Rearranging, MovesAsOnCpu) {
  std::vector<KernelCase> cases;
  const auto transposed = [&](ElementType element, Dims dims, Integers perm) {
    cases.push_back(
        {{"Transpose", {made_up(element, std::move(dims))}, {{"perm", std::move(perm)}}}});
  };
  for (const ElementType element :
       {ElementType::float32, ElementType::bfloat16, ElementType::boolean, ElementType::float64}) {
    transposed(element, {2, 5, 3, 16}, {0, 2, 1, 3});
    transposed(element, {2, 37, 3, 16}, {0, 2, 3, 1});
    transposed(element, {2, 3, 70, 13}, {1, 0, 3, 2});
    transposed(element, {70, 3, 5}, {2, 1, 0});
    transposed(element, {5, 33, 40}, {2, 0, 1});
    cases.push_back({{"Transpose", {made_up(element, {65, 66})}}});
    cases.push_back(
        {{"DepthToSpace", {made_up(element, {2, 12, 3, 5})}, {{"blocksize", std::int64_t{2}}}}});
    cases.push_back({{"DepthToSpace",
                      {made_up(element, {2, 12, 3, 5})},
                      {{"blocksize", std::int64_t{2}}, {"mode", std::string("CRD")}}}});
    cases.push_back(
        {{"SpaceToDepth", {made_up(element, {2, 3, 6, 4})}, {{"blocksize", std::int64_t{2}}}}});
    cases.push_back({{"Expand", {made_up(element, {3, 1, 16}), integers({4}, {2, 3, 5, 16})}}});
    cases.push_back({{"Expand", {made_up(element, {4, 1}), integers({2}, {1, 24})}}});
    cases.push_back({{"Expand", {made_up(element, {}), integers({1}, {7})}}});
    cases.push_back({{"Tile", {made_up(element, {2, 3, 8}), integers({3}, {2, 3, 2})}}});
    cases.push_back({{"Tile", {made_up(element, {5}), integers({1}, {0})}}});
  }
  transposed(ElementType::float32, {0, 3}, {1, 0});
  transposed(ElementType::float32, {}, {});
  expect_as_on_cpu(cases);
}

}  // namespace moving_test
}  // namespace stashscope::testing_run
