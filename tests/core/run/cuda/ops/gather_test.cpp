// Reading and writing by index.

#include <gtest/gtest.h>

#include <cmath>

#include "core/run/shared/dispatch.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace gather_test {

/// Indices into `size` elements, some counted from the end.
Tensor indices_into(std::int64_t size, Dims dims, ElementType element = ElementType::int64) {
  std::vector<std::int64_t> items(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    items[i] = (at * at + 3 * at + 1) % (2 * size) - size;
  }
  if (element == ElementType::int64) return integers(std::move(dims), items);
  return tensor_of(element, std::move(dims), std::vector<std::int32_t>(items.begin(), items.end()));
}

constexpr ElementType floats[] = {ElementType::float32, ElementType::float16, ElementType::bfloat16,
                                  ElementType::float64};

KernelCase shaped(const char* type, std::vector<Tensor> inputs, Attributes attributes = {},
                  double tolerance = 0) {
  return {.node = {.type = type,
                   .inputs = std::move(inputs),
                   .attributes = std::move(attributes),
                   .domain = "com.microsoft"},
          .tolerance = tolerance};
}
Attributes along(std::int64_t axis) { return {{"axis", axis}}; }

TEST(Gather, ReadsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element :
       {ElementType::float32, ElementType::float16, ElementType::boolean, ElementType::int64}) {
    const Tensor x = made_up(element, {3, 7, 16});
    for (const std::int64_t axis : {0, 1, -1}) {
      const std::int64_t size = x.dims()[static_cast<std::size_t>(axis < 0 ? 2 : axis)];
      for (const ElementType index : {ElementType::int64, ElementType::int32}) {
        cases.push_back({{"Gather", {x, indices_into(size, {2, 5}, index)}, along(axis)}});
      }
      cases.push_back({{"Gather", {x, indices_into(size, {})}, along(axis)}});
      Dims fewer = {2, 4, 5};
      cases.push_back({{"GatherElements", {x, indices_into(size, fewer)}, along(axis)}});
    }
    cases.push_back({{"GatherND", {x, indices_into(3, {5, 1})}}});
    cases.push_back({{"GatherND", {x, indices_into(3, {2, 4, 3})}}});
    cases.push_back(
        {{"GatherND", {x, indices_into(7, {3, 2, 1})}, {{"batch_dims", std::int64_t{1}}}}});
    cases.push_back(
        {{"OneHot", {indices_into(9, {3, 2}), integers({}, {6}), made_up(element, {2})}}});
    cases.push_back(
        {{"OneHot",
          {indices_into(6, {3, 2}, ElementType::int32), integers({1}, {6}), made_up(element, {2})},
          along(1)}});
  }
  expect_as_on_cpu(cases);
}

TEST(Gather, TakesPaddingOutAndPutsZerosBackAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element :
       {ElementType::float32, ElementType::float16, ElementType::int64, ElementType::uint8}) {
    for (const Dims& row : {Dims{}, Dims{3}, Dims{2, 8}}) {
      Dims whole = {3, 4};
      whole.insert(whole.end(), row.begin(), row.end());
      Dims packed = {5};
      packed.insert(packed.end(), row.begin(), row.end());
      const Tensor places = integers({5}, {0, 1, 4, 8, 11});
      cases.push_back(shaped("FlattenAndUnpad", {made_up(element, whole), places}));
      cases.push_back(cases.back());
      cases.back().node.outputs = 2;
      cases.push_back(
          shaped("PadAndUnflatten", {made_up(element, packed), places, integers({2}, {3, 4})}));
    }
  }
  cases.push_back(shaped("PadAndUnflatten", {made_up(ElementType::float32, {0, 2}),
                                             integers({0}, {}), integers({2}, {3, 4})}));
  expect_as_on_cpu(cases);
}

TEST(Gather, AddsGradientsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    const auto add = [&](Dims data, Dims indices, std::int64_t axis) {
      const auto at = static_cast<std::size_t>(axis);
      Dims dy(data.begin(), data.begin() + axis);
      dy.insert(dy.end(), indices.begin(), indices.end());
      dy.insert(dy.end(), data.begin() + axis + 1, data.end());
      cases.push_back(
          shaped("GatherGrad",
                 {Tensor::int64s(data), indices_into(data[at], indices), made_up(element, dy)},
                 along(axis)));
    };
    add({11, 40}, {3, 5}, 0);
    add({5, 3}, {40}, 0);
    add({2, 9, 6}, {4}, 1);
    add({4, 5}, {3}, 1);
    add({2, 3, 8}, {}, 1);
    const Dims data = {3, 4, 10};
    cases.push_back(
        shaped("GatherElementsGrad",
               {made_up(element, {3, 4, 6}), Tensor::int64s(data), indices_into(10, {3, 4, 6})},
               along(-1)));
    cases.push_back(shaped(
        "GatherElementsGrad",
        {made_up(element, {2, 7, 6}), Tensor::int64s(data), indices_into(4, {2, 7, 6})}, along(1)));
    cases.push_back(shaped("GatherNDGrad", {Tensor::int64s(data), indices_into(3, {5, 2}),
                                            made_up(element, {5, 10})}));
    cases.push_back(
        shaped("GatherNDGrad",
               {Tensor::int64s(data), indices_into(4, {3, 6, 1}), made_up(element, {3, 6, 10})},
               {{"batch_dims", std::int64_t{1}}}));
  }
  expect_as_on_cpu(cases);
}

TEST(Gather, SumsManyGradientsOfARow) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    Tensor few = indices_into(2, {3, 100});
    cases.push_back(shaped("GatherGrad",
                           {Tensor::int64s({2, 24}), few, made_up(element, {3, 100, 24})}, {},
                           order_tolerance(element)));
    cases.push_back(
        shaped("GatherGrad",
               {Tensor::int64s({2, 3, 1}), indices_into(3, {2500}), made_up(element, {2, 2500, 1})},
               along(1), order_tolerance(element)));
  }
  expect_as_on_cpu(cases);
}

TEST(Gather, WritesAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {ElementType::float32, ElementType::float16, ElementType::int64,
                                    ElementType::uint8, ElementType::boolean}) {
    for (const char* reduction : {"none", "add", "mul", "max", "min"}) {
      const Attributes how = {{"reduction", std::string(reduction)}, {"axis", std::int64_t{1}}};
      const Tensor x = made_up(element, {3, 5, 8});
      cases.push_back(
          {{"ScatterElements", {x, indices_into(5, {2, 7, 8}), made_up(element, {2, 7, 8})}, how}});
      cases.push_back(
          {{"ScatterND", {x, indices_into(3, {6, 1}), made_up(element, {6, 5, 8})}, how}});
      cases.push_back(
          {.node = {"ScatterND", {x, indices_into(3, {40, 2}), made_up(element, {40, 8})}, how},
           .in_place = InPlace{0, 0}});
    }
  }
  cases.push_back({.node = {"ScatterElements",
                            {made_up(ElementType::float32, {6, 4}), integers({2, 1}, {0, -2}),
                             made_up(ElementType::float32, {2, 1})}},
                   .in_place = InPlace{0, 0}});
  expect_as_on_cpu(cases);
}

TEST(Gather, MarksWhatIsOutsideOfTheData) {
  const OneNode node = {"Gather",
                        {made_up(ElementType::float16, {3, 8}), integers({3}, {1, 3, -4})}};
  const OneNode inside = {"Gather", {node.inputs[0], integers({3}, {1, 0, 0})}};
  const std::vector<Tensor> expected = run_node(inside);
  const std::vector<double> items = numbers(results_on_device(node, expected).at(0));
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_EQ(std::isnan(items[i]), i >= 8) << i;
}

}  // namespace gather_test
}  // namespace stashscope::testing_run
