#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace layer_normalization_test {

struct NormalizedShape {
  Dims dims;
  std::int64_t axis = -1;
};

const std::vector<NormalizedShape> shapes = {
    {{5, 3}},     {{2, 3, 768}}, {{4, 65}}, {{3, 4, 6}, 1}, {{2, 3000}},
    {{2, 40000}}, {{2, 35001}},  {{6, 1}},  {{0, 8}},
};

Dims tail(const NormalizedShape& shape) {
  const std::int64_t rank = std::ssize(shape.dims);
  return {shape.dims.begin() + (shape.axis < 0 ? shape.axis + rank : shape.axis), shape.dims.end()};
}
/// Dims of the statistics.
Dims head(const NormalizedShape& shape) {
  Dims dims = shape.dims;
  for (std::size_t i = dims.size() - tail(shape).size(); i < dims.size(); ++i) dims[i] = 1;
  return dims;
}

Attributes attributes_of(const NormalizedShape& shape) {
  return {{"axis", shape.axis}, {"epsilon", 1e-3F}};
}

TEST(CudaLayerNormalization, IsThatOfTheCpu) {
  std::vector<KernelCase> cases;
  for (const NormalizedShape& shape : shapes) {
    for (const ElementType element : device_floats) {
      const Tensor x = random_tensor(element, shape.dims, 3, 2);
      const Tensor scale = random_tensor(element, tail(shape), 1, 0.3);
      const Tensor bias = random_tensor(ElementType::float32, tail(shape), 0.5);
      const double tolerance = order_tolerance(element);
      cases.push_back({{.type = "LayerNormalization",
                        .inputs = {x, scale, bias},
                        .attributes = attributes_of(shape),
                        .outputs = 3},
                       tolerance});
      cases.push_back({{"LayerNormalization", {x, scale}, attributes_of(shape)}, tolerance});
      cases.push_back({{.type = "SimplifiedLayerNormalization",
                        .inputs = {x, scale},
                        .attributes = attributes_of(shape),
                        .outputs = 2},
                       tolerance});
    }
  }
  cases.push_back(
      {{"RMSNormalization",
        {random_tensor(ElementType::float64, {3, 50}), random_tensor(ElementType::float64, {1})},
        {},
        23},
       1e-12});
  expect_as_on_cpu(cases);
}

TEST(CudaLayerNormalization, AddsWhatItSkips) {
  std::vector<KernelCase> cases;
  for (const ElementType element : device_floats) {
    for (const std::int64_t columns : {40, 33, 40001}) {
      const Tensor x = random_tensor(element, {2, 3, columns});
      const Tensor skip = random_tensor(element, {3, columns}, 1);
      const Tensor full = random_tensor(element, {2, 3, columns}, 2);
      const Tensor scale = random_tensor(element, {columns}, 1, 0.3);
      const Tensor bias = random_tensor(element, {columns}, 0.5);
      const auto add = [&](const char* type, std::vector<Tensor> inputs) {
        cases.push_back(
            {{.type = type, .inputs = std::move(inputs), .domain = "com.microsoft", .outputs = 4},
             order_tolerance(element)});
      };
      add("SkipLayerNormalization", {x, skip, scale, bias, bias});
      add("SkipLayerNormalization", {x, full, scale});
      add("SkipSimplifiedLayerNormalization", {x, full, scale, bias});
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaLayerNormalization, HasTheGradientOfTheCpu) {
  std::vector<KernelCase> cases;
  for (const NormalizedShape& shape : shapes) {
    for (const ElementType element : device_floats) {
      const Tensor dy = random_tensor(element, shape.dims);
      const Tensor x = random_tensor(element, shape.dims, 3, 2);
      const Tensor scale = random_tensor(element, tail(shape), 1, 0.3);
      const Tensor mean = random_tensor(ElementType::float32, head(shape), 3, 0.1);
      const Tensor inverse = random_tensor(ElementType::float32, head(shape), 0.5, 0.01);
      // If terms cancel, the result is smaller than the terms, but the rounding errors are not.
      const double tolerance = 2 * order_tolerance(element);
      cases.push_back({{.type = "LayerNormalizationGrad",
                        .inputs = {dy, x, scale, mean, inverse},
                        .attributes = attributes_of(shape),
                        .domain = "com.microsoft",
                        .outputs = 3},
                       tolerance});
      cases.push_back({{.type = "SimplifiedLayerNormalizationGrad",
                        .inputs = {dy, x, scale, inverse},
                        .attributes = attributes_of(shape),
                        .domain = "com.microsoft",
                        .outputs = 2},
                       tolerance});
    }
  }
  const Tensor many = random_tensor(ElementType::float32, {3000, 24});
  const Tensor columns = random_tensor(ElementType::float32, {24});
  const Tensor rows = random_tensor(ElementType::float32, {3000, 1});
  cases.push_back({{.type = "LayerNormalizationGrad",
                    .inputs = {many, many, columns, rows, rows},
                    .domain = "com.microsoft",
                    .outputs = 3},
                   1e-5});
  expect_as_on_cpu(cases);
}

}  // namespace layer_normalization_test
}  // namespace stashscope::testing_run
