#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace resize_test {

struct Resizing {
  Attributes attributes;
  std::vector<float> scales;
  std::vector<float> roi = {};
};

const Dims x_dims = {2, 3, 5, 4};

Tensor scales_of(const Resizing& each) { return singles(each.scales); }
Tensor roi_of(const Resizing& each) { return each.roi.empty() ? Tensor() : singles(each.roi); }

std::vector<Resizing> resizings() {
  std::vector<Resizing> list;
  for (const char* coordinates : {"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel",
                                  "half_pixel_symmetric"}) {
    for (const char* mode : {"nearest", "linear", "cubic"}) {
      const Attributes how = {{"mode", std::string(mode)},
                              {"coordinate_transformation_mode", std::string(coordinates)}};
      list.push_back({how, {1, 1, 2, 2}});
      list.push_back({how, {1, 1, 0.6F, 1.7F}});
    }
  }
  list.push_back(
      {{{"mode", std::string("linear")}, {"antialias", std::int64_t{1}}}, {1, 1, 0.5F, 0.4F}});
  list.push_back(
      {{{"mode", std::string("nearest")}, {"nearest_mode", std::string("ceil")}}, {2, 1, 1.5F, 3}});
  list.push_back({{{"mode", std::string("linear")},
                   {"coordinate_transformation_mode", std::string("tf_crop_and_resize")},
                   {"extrapolation_value", 2.5F}},
                  {1, 1, 1.5F, 2},
                  {0, 0, -0.2F, 0.3F, 1, 1, 0.8F, 1.4F}});
  return list;
}

constexpr ElementType floats[] = {ElementType::float32, ElementType::bfloat16};

TEST(Resize, IsAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    for (const Resizing& each : resizings()) {
      cases.push_back(
          {{"Resize", {made_up(element, x_dims), roi_of(each), scales_of(each)}, each.attributes}});
    }
  }
  const Attributes two = {{"axes", Integers{3, 1}}, {"mode", std::string("linear")}};
  const Tensor x = made_up(ElementType::float32, x_dims);
  cases.push_back({{"Resize", {x, Tensor(), Tensor(), integers({2}, {6, 7})}, two}});
  cases.push_back(
      {{"Resize",
        {made_up(ElementType::uint8, x_dims), Tensor(), Tensor(), integers({2}, {6, 7})},
        two}});
  cases.push_back({{"Resize", {x, Tensor(), singles({1, 1, 1, 1})}}});
  cases.push_back({{"Resize",
                    {made_up(ElementType::float64, x_dims), Tensor(), singles({1, 1, 2, 3})},
                    {{"mode", std::string("linear")}}}});
  cases.push_back({.node = {.type = "Resize", .inputs = {x, singles({1, 1, 2, 2})}, .opset = 10}});
  cases.push_back({.node = {.type = "Upsample",
                            .inputs = {x, singles({1, 1, 2.5F, 2})},
                            .attributes = {{"mode", std::string("linear")}},
                            .opset = 9}});
  expect_as_on_cpu(cases);
}

TEST(Resize, GradientsAreAsOnCpu) {
  std::vector<KernelCase> cases;
  for (const ElementType element : floats) {
    for (const Resizing& each : resizings()) {
      const OneNode forward = {
          "Resize", {made_up(element, x_dims), roi_of(each), scales_of(each)}, each.attributes};
      cases.push_back({.node = {.type = "ResizeGrad",
                                .inputs = {made_up(element, run_node(forward)[0].dims(), 4),
                                           Tensor::int64s(x_dims), roi_of(each), scales_of(each)},
                                .attributes = each.attributes,
                                .domain = "com.microsoft"}});
    }
  }
  expect_as_on_cpu(cases);
}

}  // namespace resize_test
}  // namespace stashscope::testing_run
