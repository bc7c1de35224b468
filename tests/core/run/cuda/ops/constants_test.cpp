// Generated tensors, copies, and operators that only training graphs have.

#include <gtest/gtest.h>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace constants_test {

constexpr ElementType f32 = ElementType::float32;
constexpr ElementType f16 = ElementType::float16;
constexpr ElementType bf16 = ElementType::bfloat16;
constexpr ElementType i64 = ElementType::int64;
constexpr ElementType flag = ElementType::boolean;

TEST(CudaConstants, FilledTensors) {
  std::vector<KernelCase> cases;
  for (const ElementType element :
       {f32, f16, bf16, ElementType::float64, i64, ElementType::int8, ElementType::uint16, flag}) {
    Attributes attributes;
    attributes.set("value", tensor_of_numbers(element, {1}, {1}));
    cases.push_back({.node = {"ConstantOfShape", {integers({2}, {3, 7})}, attributes}});
    cases.push_back({.node = {"ConstantOfShape", {integers({0}, {})}, attributes}});
    Attributes below;
    below.set("k", std::int64_t{-1});
    cases.push_back({.node = {"EyeLike", {spread(element, {4, 6})}, below}});
    cases.push_back({.node = {"EyeLike", {spread(element, {5, 3})}}});
  }
  cases.push_back({.node = {"ConstantOfShape", {integers({1}, {9})}}});
  expect_as_on_cpu(cases);
}

TEST(CudaConstants, Ranges) {
  std::vector<KernelCase> cases;
  for (const ElementType element :
       {f32, f16, ElementType::float64, ElementType::int16, ElementType::int32, i64}) {
    const auto scalar = [&](double number) { return tensor_of_numbers(element, {}, {number}); };
    cases.push_back({.node = {"Range", {scalar(-3), scalar(20), scalar(2)}}});
    cases.push_back({.node = {"Range", {scalar(5), scalar(-6), scalar(-1)}}});
    cases.push_back({.node = {"Range", {scalar(5), scalar(5), scalar(1)}}});
  }
  cases.push_back(
      {.node = {"Range", {singles({}, {0.5F}), singles({}, {2}), singles({}, {0.1F})}}});
  expect_as_on_cpu(cases);
}

TEST(CudaConstants, RandomTensors) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, f16, ElementType::float64}) {
    const Tensor like = spread(element, {3, 11});
    Attributes attributes;
    attributes.set("mean", 1.5F);
    attributes.set("scale", 0.5F);
    attributes.set("low", -2.0F);
    attributes.set("seed", 17.0F);
    cases.push_back({.node = {"RandomNormalLike", {like}, attributes}});
    cases.push_back({.node = {"RandomNormalLike", {like}}});
    cases.push_back({.node = {"RandomUniformLike", {like}, attributes}});
    cases.push_back({.node = {"Bernoulli", {spread(element, {40}, 0, 1)}}});
  }
  Attributes shaped;
  shaped.set("shape", Integers{2, 5});
  cases.push_back({.node = {"RandomUniform", {}, shaped}});
  cases.push_back({.node = {"RandomNormal", {}, shaped}});
  expect_as_on_cpu(cases);
}

TEST(CudaTraining, AccumulatesAndCopies) {
  const std::string microsoft = "com.microsoft";
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, f16, bf16}) {
    const Tensor sum = spread(element, {3, 5});
    const Tensor value = spread(element, {3, 5}, -1, 1);
    for (const char chosen : {'\0', '\1'}) {
      const std::vector<Tensor> inputs = {sum, value, flags({1}, {chosen})};
      cases.push_back(
          {.node = {"InPlaceAccumulator", inputs, {}, 18, microsoft}, .in_place = InPlace{0, 0}});
      cases.push_back({.node = {"InPlaceAccumulatorV2", inputs, {}, 18, microsoft, 2}});
    }
    cases.push_back({.node = {"InPlaceAccumulator", {sum, value}, {}, 18, microsoft}});
    cases.push_back({.node = {"InPlaceAccumulatorV2", {sum, value}, {}, 18, microsoft, 1}});
    cases.push_back({.node = {"MemcpyToHost", {sum}}});
    cases.push_back({.node = {"MemcpyFromHost", {sum}}});
    cases.push_back({.node = {"Identity", {sum}}, .in_place = InPlace{0, 0}});
  }
  cases.push_back({.node = {"BroadcastGradientArgs",
                            {integers({3}, {2, 1, 5}), integers({2}, {4, 1})},
                            {},
                            18,
                            microsoft,
                            2}});
  cases.push_back({.node = {"Shape", {spread(f32, {2, 0, 5})}}});
  cases.push_back({.node = {"Size", {spread(f32, {2, 3, 5})}}});
  expect_as_on_cpu(cases);
}

}  // namespace constants_test
}  // namespace stashscope::testing_run
