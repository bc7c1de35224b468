#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/run/cuda/emulation/kernel_cases.h"

namespace stashscope::testing_run {
namespace loss_test {

/// Rows for groups of threads, for warps, for blocks and in passes; classes on an outer axis.
const std::vector<Dims> shapes = {
    {7, 10}, {5, 999}, {3, 5000}, {3, 50257}, {2, 21, 3, 5}, {6}, {400, 4},
};

Dims label_dims(Dims scores) {
  scores.erase(scores.begin() + (scores.size() > 1 ? 1 : 0));
  return scores;
}
std::int64_t classes_of(const Dims& scores) { return scores[scores.size() > 1 ? 1 : 0]; }

Tensor labels_of(const Dims& scores, ElementType element) {
  Dims dims = label_dims(scores);
  std::vector<std::int64_t> wide;
  for (std::int64_t i = 0; i < element_count(dims); ++i) {
    wide.push_back(i * 7919 % classes_of(scores));
  }
  if (element == ElementType::int64) return integers(std::move(dims), wide);
  return tensor_of(element, std::move(dims), std::vector<std::int32_t>(wide.begin(), wide.end()));
}

/// A label of the tensors above.
constexpr std::int64_t ignored_label = 3;

struct LossForm {
  const char* reduction = "mean";
  bool weights = false;
  bool ignores = false;
};
const std::vector<LossForm> forms = {{},
                                     {"mean", true, true},
                                     {"sum", false, true},
                                     {"none", true, false},
                                     {"none", false, true},
                                     {"mean", false, true}};

Attributes attributes_of(const LossForm& form) {
  Attributes attributes = {{"reduction", std::string(form.reduction)}};
  if (form.ignores) attributes.set("ignore_index", ignored_label);
  return attributes;
}

std::vector<Tensor> weights_of(const LossForm& form, const Dims& dims, ElementType element) {
  if (!form.weights) return {};
  return {random_tensor(element, {classes_of(dims)}, 2, 0.1)};
}

double tolerance_of_losses(ElementType element) {
  return element == ElementType::float32 ? 1e-5 : order_tolerance(element);
}

TEST(CudaLosses, AreThoseOfTheCpu) {
  std::vector<KernelCase> cases;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t k = 0; k < forms.size(); ++k) {
      const ElementType element = device_floats[(i + k) % 3];
      const ElementType label = (i + k) % 2 == 0 ? ElementType::int64 : ElementType::int32;
      const Tensor scores = random_tensor(element, shapes[i], -3, 2);
      std::vector<Tensor> inputs = {scores, labels_of(shapes[i], label)};
      for (const Tensor& each : weights_of(forms[k], shapes[i], element)) inputs.push_back(each);
      const double tolerance = tolerance_of_losses(element);
      cases.push_back({{.type = "SoftmaxCrossEntropyLoss",
                        .inputs = inputs,
                        .attributes = attributes_of(forms[k]),
                        .outputs = 2},
                       tolerance});
      cases.push_back({{"SoftmaxCrossEntropyLoss", inputs, attributes_of(forms[k])}, tolerance});
      cases.push_back({{"NegativeLogLikelihoodLoss", inputs, attributes_of(forms[k])}, tolerance});
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaLosses, HaveTheGradientOfTheCpu) {
  std::vector<KernelCase> cases;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    for (std::size_t k = 0; k < forms.size(); ++k) {
      const ElementType element = device_floats[(i + k) % 3];
      const Tensor likelihood = random_tensor(element, shapes[i], -3, 0.5);
      const bool by_target = std::string(forms[k].reduction) == "none";
      const Tensor dy = random_tensor(element, by_target ? label_dims(shapes[i]) : Dims{}, 1);
      std::vector<Tensor> inputs = {dy, likelihood, labels_of(shapes[i], ElementType::int64)};
      for (const Tensor& each : weights_of(forms[k], shapes[i], element)) inputs.push_back(each);
      for (const char* type : {"SoftmaxCrossEntropyLossGrad", "NegativeLogLikelihoodLossGrad"}) {
        cases.push_back({{.type = type,
                          .inputs = inputs,
                          .attributes = attributes_of(forms[k]),
                          .domain = "com.microsoft"},
                         tolerance_of_losses(element)});
        cases.push_back(cases.back());
        cases.back().in_place = InPlace{1, 0};
      }
    }
  }
  expect_as_on_cpu(cases);
}

TEST(CudaLosses, TakeTheIgnoredLabelAsAnOperand) {
  const Dims dims = {9, 12};
  const Tensor scores = random_tensor(ElementType::float32, dims);
  const Tensor labels = labels_of(dims, ElementType::int64);
  const Tensor weights = random_tensor(ElementType::float32, {12}, 2, 0.1);
  const Tensor ignored = integers({}, {ignored_label});
  const std::vector<KernelCase> cases = {
      {{.type = "SoftmaxCrossEntropyLossInternal",
        .inputs = {scores, labels, weights, ignored},
        .domain = "com.microsoft",
        .outputs = 2},
       1e-6},
      {{.type = "SoftmaxCrossEntropyLossInternalGrad",
        .inputs = {random_tensor(ElementType::float32, {}, 1), scores, labels, Tensor(), ignored},
        .domain = "com.microsoft"},
       1e-6},
      {{"SparseSoftmaxCrossEntropy", {scores, labels}, {}, 9}, 1e-6},
      {{"SparseSoftmaxCrossEntropyGrad",
        {random_tensor(ElementType::float32, {}, 1), scores, labels},
        {{"reduction", std::string("sum")}},
        9},
       1e-6}};
  expect_as_on_cpu(cases);
}

/// The CPU kernels refuse such a label; the device must not read memory with it.
TEST(CudaLosses, OfLabelsOutsideOfTheClassesAreNotANumber) {
  const OneNode node = {"SoftmaxCrossEntropyLoss",
                        {random_tensor(ElementType::float32, {3, 5}), integers({3}, {1, 5, 2})},
                        {{"reduction", std::string("none")}}};
  const Tensor losses = singles({3}, {0, 0, 0});
  const std::vector<double> found = numbers(results_on_device(node, {losses}).at(0));
  EXPECT_GT(found[0], 0);
  EXPECT_TRUE(std::isnan(found[1]));
  EXPECT_GT(found[2], 0);
}

}  // namespace loss_test
}  // namespace stashscope::testing_run
