#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/run/cuda/codegen/lowering.h"
#include "tests/core/run/cuda/emulation/kernel_cases.h"
#include "tests/support/refusal.h"

namespace stashscope::testing_run {
namespace dropout_test {

constexpr ElementType f32 = ElementType::float32;
constexpr ElementType f16 = ElementType::float16;
constexpr ElementType bf16 = ElementType::bfloat16;

const std::string microsoft = "com.microsoft";

Tensor ratio_of(double ratio) { return tensor_of_numbers(f32, {}, {ratio}); }
Tensor mode(bool trains) { return flags({}, {trains ? '\1' : '\0'}); }

std::vector<std::pair<double, bool>> choices() {
  return {{0.5, true}, {0.1, true}, {0.3, false}, {0, true}, {1, true}};
}

TEST(CudaDropout, KeepsWhatTheCpuKeeps) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, f16, bf16, ElementType::float64}) {
    for (const auto& [ratio, trains] : choices()) {
      for (const Dims& dims : {Dims{4, 32}, Dims{5, 9}}) {
        OneNode node = {"Dropout", {spread(element, dims), ratio_of(ratio), mode(trains)}};
        cases.push_back({.node = node, .in_place = InPlace{0, 0}});
        node.outputs = 2;
        cases.push_back({.node = node});
        node.attributes.set("seed", std::int64_t{12345});
        cases.push_back({.node = node, .in_place = InPlace{0, 0}});
      }
    }
    cases.push_back({.node = {"Dropout", {spread(element, {7})}}});
  }
  Attributes old;
  old.set("ratio", 0.25F);
  old.set("is_test", std::int64_t{0});
  cases.push_back({.node = {"Dropout", {spread(f32, {40})}, old, 6, {}, 2}});
  cases.push_back({.node = {"Dropout", {spread(f32, {40})}, {}, 6, {}, 2}});
  cases.push_back({.node = {"Dropout", {spread(f32, {40})}, {}, 7, {}, 2}});
  cases.push_back({.node = {"Dropout", {spread(f32, {0, 3}), ratio_of(0.5), mode(true)}}});
  expect_as_on_cpu(cases);
}

TEST(CudaDropout, FusedForms) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, f16}) {
    for (const auto& [ratio, trains] : choices()) {
      const auto add = [&](const char* type, std::vector<Tensor> inputs) {
        inputs.insert(inputs.end(), {ratio_of(ratio), mode(trains)});
        cases.push_back({.node = {type, std::move(inputs), {}, 18, microsoft, 2}});
      };
      for (const Dims& dims : {Dims{4, 24}, Dims{5, 9}}) {
        const Tensor x = spread(element, dims);
        const Tensor bias = spread(element, {dims.back()});
        add("BitmaskDropout", {x});
        for (const char* type : {"BiasDropout", "BitmaskBiasDropout"}) {
          add(type, {x, bias, {}});
          add(type, {x, bias, spread(element, dims)});
          add(type, {x, bias, spread(element, {dims.back()})});
        }
      }
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaDropout, Gradients) {
  std::vector<KernelCase> cases;
  for (const ElementType element : {f32, f16}) {
    for (const Dims& dims : {Dims{4, 24}, Dims{5, 9}}) {
      const Tensor dy = spread(element, dims);
      const std::int64_t words = (dims[0] * dims[1] + 31) / 32;
      const Tensor bits = spread(ElementType::uint32, {words}, 0, 4294967296.0);
      for (const auto& [type, mask] : {std::pair{"DropoutGrad", spread(ElementType::boolean, dims)},
                                       std::pair{"BitmaskDropoutGrad", bits}}) {
        const OneNode node = {type, {dy, mask, ratio_of(0.4), mode(true)}, {}, 18, microsoft};
        cases.push_back({.node = node});
        cases.push_back({.node = node, .in_place = InPlace{0, 0}});
        cases.push_back({.node = {type, {dy, mask, ratio_of(0.4)}, {}, 18, microsoft}});
      }
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaDropout, RatioMustBeKnown) {
  const OneNode node = {"Dropout", {spread(f32, {8}), ratio_of(0.5), mode(true)}};
  const CaseContext known = context_of(node, {spread(f32, {8})});
  EXPECT_NE(test::refusal(ErrorKind::run, [&] { lowered_node(known); }).find("ratio"),
            std::string::npos);
}

}  // namespace dropout_test
}  // namespace stashscope::testing_run
