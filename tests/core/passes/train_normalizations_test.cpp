// A pass makes batch normalizations train that were exported in inference mode. A note names the
// pass until it is chosen.

#include <gtest/gtest.h>

#include <cmath>

#include "core/passes/training_step.h"
#include "core/run/devices/devices.h"
#include "core/study/step/step_export.h"
#include "core/study/step/study.h"
#include "tests/support/model_builder.h"
#include "tests/support/passed.h"

namespace stashscope {
namespace train_normalizations_test {

using test::count;
using test::ModelBuilder;

/// A convolution and a batch normalization in inference mode.
ModelBuilder normalized(std::int64_t opset) {
  ModelBuilder m(opset);
  m.input("x", {"N", 2, 3, 3}).weight("w", {2, 2, 1, 1}, {1, 2, 3, 4});
  m.weight("scale", {2}, {1, 1}).weight("bias", {2}, {0, 0});
  m.weight("mean", {2}, {0, 0}).weight("variance", {2}, {1, 1});
  m.node("Conv", {"x", "w"}, {"c"});
  m.node("BatchNormalization", {"c", "scale", "bias", "mean", "variance"}, {"y"});
  return m.output("y");
}

std::shared_ptr<const Study> study_of(std::int64_t opset, const std::string& pass) {
  Choices choices;
  choices.dims = {{"N", 2}};
  if (!pass.empty()) add_passes(pass, choices);
  return compute_study(std::make_shared<const Graph>(normalized(opset).build()), choices, nullptr,
                       Progress());
}

bool says(const Study& study, const std::string& words) {
  return std::any_of(study.warnings.begin(), study.warnings.end(), [&](const std::string& each) {
    return each.find(words) != std::string::npos;
  });
}

/// The largest absolute mean of a channel of the normalized output.
double largest_mean(const Study& study) {
  std::map<std::string, Tensor> inputs;
  std::vector<float> numbers;
  for (int i = 0; i < 36; ++i) numbers.push_back(static_cast<float>(i % 7));
  inputs.emplace("x", Tensor(ElementType::float32, {2, 2, 3, 3},
                             std::string(reinterpret_cast<const char*>(numbers.data()), 144)));
  const RunPlan plan = run_plan(study, *study.current);
  const auto runner = make_runner("cpu");
  const RunResult result = runner->run(plan, inputs, {}, Progress());
  EXPECT_EQ(result.measurement.live_bytes, plan.timeline.live_bytes);
  const std::vector<double> y = *result.outputs.at("y").reals();
  double largest = 0;
  for (std::size_t channel = 0; channel < 2; ++channel) {
    double sum = 0;
    for (std::size_t i = 0; i < 18; ++i) sum += y[(i / 9 * 2 + channel) * 9 + i % 9];
    largest = std::max(largest, std::abs(sum / 18));
  }
  return largest;
}

TEST(TrainNormalizations, UsesTheStatisticsOfTheBatch) {
  for (const std::int64_t opset : {9, 15}) {
    const auto inference = study_of(opset, "");
    EXPECT_GT(largest_mean(*inference), 1);
    const auto training = study_of(opset, "train_normalizations");
    EXPECT_LT(largest_mean(*training), 1e-5);
    EXPECT_EQ(count(training->graph(), "BatchNormalizationGrad"), 1U);
  }
}

TEST(TrainNormalizations, ANoteNamesThePassUntilItIsChosen) {
  EXPECT_TRUE(says(*study_of(15, ""), "--pass train_normalizations"));
  EXPECT_FALSE(says(*study_of(15, "train_normalizations"), "inference mode"));
}

/// The pass changes results, so the user must ask for it.
TEST(TrainNormalizations, AllLeavesItOut) {
  EXPECT_TRUE(says(*study_of(15, "all"), "inference mode"));
}

TEST(TrainNormalizations, NormalizationsInTrainingModeStay) {
  ModelBuilder m(15);
  m.input("x", {2, 2}).weight("scale", {2}).weight("bias", {2});
  m.weight("mean", {2}).weight("variance", {2});
  m.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, {"y", "m", "v"},
         {{"training_mode", std::int64_t{1}}});
  EXPECT_EQ(test::pass("train_normalizations", m.output("y").build()).changed, 0U);
}

}  // namespace train_normalizations_test
}  // namespace stashscope
