// Reports say first what a model lacks: a backward pass, known sizes.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/onnx/captured_step_reader.h"
#include "core/report/budget_report.h"
#include "core/report/page/page.h"
#include "core/report/report.h"
#include "tests/support/captured_model.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace incomplete_step_test {

std::shared_ptr<const Study> study_of(const test::ModelBuilder& m) {
  return compute_study(std::make_shared<const Graph>(m.build()), {}, nullptr, Progress());
}

/// A custom operator between a weight and the output.
test::ModelBuilder with_custom_operator() {
  test::ModelBuilder m;
  m.input("x", {2, 4}).weight("w", {4, 4}).node("MatMul", {"x", "w"}, {"h"});
  m.node("Mystery", {"h"}, {"g"}, {}, "custom").declare("g", {2, 4});
  return m.node("Relu", {"g"}, {"y"}).output("y");
}

TEST(IncompleteStep, WithoutBackwardTheFirstLineSaysWhy) {
  const auto study = study_of(with_custom_operator());
  const std::string text = text_report({*study, "m.onnx", {}});
  const std::string first = text.substr(0, text.find('\n'));
  EXPECT_TRUE(first.starts_with("No backward pass: node 'make_g' (Mystery)")) << first;
  EXPECT_NE(first.find("gradient rule"), std::string::npos) << first;
  EXPECT_NE(first.find("--freeze"), std::string::npos) << first;
  const auto object = nlohmann::json::parse(json_report({*study, "m.onnx", {}}));
  EXPECT_NE(object["no_backward"].get<std::string>().find("make_g"), std::string::npos);
  EXPECT_NE(html_report({*study, "m.onnx", {}}).find("<b>No backward pass"), std::string::npos);
}

TEST(IncompleteStep, WithNothingToTrainTheFirstLineSaysSo) {
  test::ModelBuilder m;
  m.input("x", {"N", 4}).node("Relu", {"x"}, {"y"}).output("y");
  const std::string text = text_report({*study_of(m), "m.onnx", {}});
  EXPECT_TRUE(text.starts_with("No backward pass: no parameter receives a gradient")) << text;
}

TEST(IncompleteStep, ACompleteStepSaysNothing) {
  const auto study = study_of(test::perceptron());
  EXPECT_TRUE(text_report({*study, "m.onnx", {}}).starts_with("Plans of ONNX Runtime"));
  const auto object = nlohmann::json::parse(json_report({*study, "m.onnx", {}}));
  EXPECT_FALSE(object.contains("no_backward"));
  EXPECT_FALSE(object["memory"].contains("unknown_sizes"));
}

TEST(IncompleteStep, AFirstStepSaysWhatLaterStepsNeed) {
  GraphData data = test::captured_data(true);
  read_captured_step(data);
  Choices choices;
  choices.times.device_memory = 350;
  const auto study =
      compute_study(std::make_shared<const Graph>(std::move(data)), choices, nullptr, Progress());
  EXPECT_NE(text_report({*study, "m.onnx", {}}).find("\n  later steps: 384 B"), std::string::npos);
  const auto object = nlohmann::json::parse(json_report({*study, "m.onnx", {}}));
  EXPECT_EQ(object["memory"]["current"]["peak_bytes"], 308);
  EXPECT_EQ(object["memory"]["current"]["later_peak_bytes"], 384);
  EXPECT_EQ(object["memory"]["current"]["made_state_bytes"], 256);
  const std::string page = html_report({*study, "m.onnx", {}});
  EXPECT_NE(page.find("not fit</strong>"), std::string::npos);
  EXPECT_NE(page.find("Later steps need"), std::string::npos);
  BudgetAnswer answer;
  answer.request.budget_bytes = 350;
  const auto says = [&](const std::string& words) {
    return budget_text(*study, answer).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("Later steps need 384 B (384 B) with this plan, more than the budget"));
  answer.request.budget_bytes = 384;
  EXPECT_TRUE(says("Later steps need 384 B (384 B) with this plan, within the budget"));
  answer.request.allocator = AllocatorSettings();
  EXPECT_TRUE(says("Later steps need 384 B (384 B) with this plan: the 256 B"));
  answer.request.allocator.reset();
  EXPECT_EQ(budget_text(*study, answer).find("finer granularity"), std::string::npos);
  EXPECT_EQ(budget_json(*study, answer)["later_state_bytes"], 256);
  EXPECT_EQ(budget_json(*study, answer)["later_peak_bytes"], 384);
}

TEST(IncompleteStep, ABoundNamesOnlyWhatTheStepHas) {
  BudgetAnswer answer;
  answer.request.budget_bytes = 1;
  answer.floor = StepPeakBound{100, 50, NodeId(), {}};
  const std::string plain = budget_text(*study_of(test::perceptron()), answer);
  EXPECT_NE(plain.find("persistent (parameters, inputs, constants)"), std::string::npos) << plain;
  Choices choices;
  choices.update.optimizer = "adam";
  const auto trained = compute_study(std::make_shared<const Graph>(test::perceptron().build()),
                                     choices, nullptr, Progress());
  EXPECT_NE(budget_text(*trained, answer).find("constants, optimizer states)"), std::string::npos);
}

TEST(IncompleteStep, APlanWithoutExtraTimeIsTheCheapestWithoutABound) {
  BudgetAnswer answer;
  answer.feasible = true;
  const auto study = study_of(test::perceptron());
  const std::string words = "proven to be the cheapest";
  EXPECT_NE(budget_text(*study, answer).find(words), std::string::npos);
  answer.best.extra_seconds = 1;
  EXPECT_EQ(budget_text(*study, answer).find(words), std::string::npos);
}

TEST(IncompleteStep, AdviceNamesOnlyFinerGranularities) {
  const auto study = study_of(test::perceptron());
  const auto advice = [&](PlanGranularity grain) {
    BudgetAnswer answer;
    answer.request.grain = grain;
    answer.request.budget_bytes = 1;
    const std::string text = budget_text(*study, answer);
    const std::string words = "a finer granularity may meet the budget: ";
    const std::size_t at = text.find(words);
    if (at == std::string::npos) return std::string();
    return text.substr(at + words.size(), text.find('\n', at) - at - words.size());
  };
  EXPECT_EQ(advice(PlanGranularity::cluster), "--grain node or --grain sequence");
  EXPECT_EQ(advice(PlanGranularity::node), "--grain sequence");
  EXPECT_EQ(advice(PlanGranularity::sequence), "");
}

TEST(IncompleteStep, UnknownSizesStandBesideThePeak) {
  test::ModelBuilder m;
  m.input("x", {2, 4}).node("Mystery", {"x"}, {"y"}, {}, "custom").output("y");
  const auto study = study_of(m);
  EXPECT_NE(text_report({*study, "m.onnx", {}}).find(", without 1 tensor of unknown size\n"),
            std::string::npos);
  const auto object = nlohmann::json::parse(json_report({*study, "m.onnx", {}}));
  EXPECT_EQ(object["memory"]["unknown_sizes"], nlohmann::json::array({"y"}));
  EXPECT_NE(html_report({*study, "m.onnx", {}}).find("without 1 tensor of unknown size.</p>"),
            std::string::npos);
}

}  // namespace incomplete_step_test
}  // namespace stashscope
