#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace normalization_test {

/// Few and many images and channels, planes of even, odd and single elements.
const std::vector<Dims> shapes = {
    {2, 3, 4, 6}, {3, 5, 7, 7}, {1, 2, 200, 200}, {40, 2, 48}, {60, 24}, {7, 3, 1, 1}, {1, 1, 9},
};

struct Operands {
  Tensor x;
  Tensor scale;
  Tensor bias;
  Tensor mean;
  Tensor variance;
};

/// The mean is far from 0, which is hard for sums of squares.
Operands operands_of(ElementType element, const Dims& dims) {
  const Dims channels = {dims[1]};
  return {random_tensor(element, dims, 10, 2), random_tensor(element, channels, 1, 0.3),
          random_tensor(element, channels), random_tensor(ElementType::float32, channels, 10),
          random_tensor(ElementType::float32, channels, 3, 0.1)};
}

const Attributes epsilon = {{"epsilon", 1e-2F}};

double tolerance_of_normals(ElementType element) {
  return element == ElementType::float32 ? 1e-5 : order_tolerance(element);
}

TEST(CudaNormalization, OfBatchesIsThatOfTheCpu) {
  std::vector<KernelCase> cases;
  for (const Dims& dims : shapes) {
    for (const ElementType element : device_floats) {
      const auto [x, scale, bias, mean, variance] = operands_of(element, dims);
      const std::vector<Tensor> inputs = {x, scale, bias, mean, variance};
      const double tolerance = tolerance_of_normals(element);
      Attributes trains = epsilon;
      trains.set("training_mode", std::int64_t{1});
      trains.set("momentum", 0.7F);
      cases.push_back({{"BatchNormalization", inputs, epsilon}, tolerance});
      cases.push_back(
          {{.type = "BatchNormalization", .inputs = inputs, .attributes = trains, .outputs = 3},
           tolerance});
      cases.push_back({{.type = "BatchNormInternal",
                        .inputs = inputs,
                        .attributes = epsilon,
                        .domain = "com.microsoft",
                        .outputs = 5},
                       tolerance});
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaNormalization, OfImagesIsThatOfTheCpu) {
  std::vector<KernelCase> cases;
  for (const Dims& dims : shapes) {
    if (dims.size() < 3) continue;
    for (const ElementType element : device_floats) {
      const auto [x, scale, bias, mean, variance] = operands_of(element, dims);
      cases.push_back(
          {{"InstanceNormalization", {x, scale, bias}, epsilon}, tolerance_of_normals(element)});
    }
  }
  for (const ElementType element : device_floats) {
    for (const std::int64_t of_scale : {3, 12}) {
      Attributes groups = epsilon;
      groups.set("num_groups", std::int64_t{3});
      cases.push_back({{"GroupNormalization",
                        {random_tensor(element, {2, 12, 5, 7}, 5),
                         random_tensor(element, {of_scale}), random_tensor(element, {of_scale})},
                        groups,
                        of_scale == 3 ? 18 : 21},
                       tolerance_of_normals(element)});
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaNormalization, HasTheGradientOfTheCpu) {
  std::vector<KernelCase> cases;
  for (const Dims& dims : shapes) {
    for (const ElementType element : device_floats) {
      const auto [x, scale, bias, mean, variance] = operands_of(element, dims);
      const Tensor dy = random_tensor(element, dims, 0.5);
      // If terms cancel, the result is smaller than the terms, but the rounding errors are not.
      const double tolerance = 3 * tolerance_of_normals(element);
      const auto add = [&](const char* type, std::vector<Tensor> inputs) {
        cases.push_back({{.type = type,
                          .inputs = std::move(inputs),
                          .attributes = epsilon,
                          .domain = "com.microsoft",
                          .outputs = 3},
                         tolerance});
      };
      const Tensor inverse = random_tensor(ElementType::float32, {dims[1]}, 0.5, 0.01);
      add("BatchNormalizationGrad", {dy, x, scale, mean, inverse});
      if (dims.size() > 2) add("InstanceNormalizationGrad", {dy, x, scale});
    }
  }
  expect_as_on_cpu(cases);
}

}  // namespace normalization_test
}  // namespace stashscope::testing_run
