// The per-operator form of the reference's first version means every cluster of that operator.

#include <gtest/gtest.h>

#include "core/study/edits/edits.h"
#include "core/study/step/plan_effects.h"
#include "core/study/step/study.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace legacy_config_test {

std::shared_ptr<const Study> study_of(const Choices& choices) {
  const test::ModelBuilder model = test::deep_perceptron(3, 16);
  return compute_study(std::make_shared<const Graph>(model.build()), choices, nullptr, {});
}

TEST(OperatorConfig, SwitchesOnEveryClusterOfTheOperator) {
  Choices choices;
  choices.plans.config = parse_config("Gelu:1");
  const auto study = study_of(choices);
  int switched = 0;
  for (const PlanRow& row : study->plan_table->plans) {
    const bool is_gelu = row.config.find("Gelu+:") != std::string::npos;
    EXPECT_EQ(row.on, is_gelu) << row.config;
    switched += row.on ? 1 : 0;
  }
  EXPECT_GT(switched, 0);
  EXPECT_FALSE(study->config.contains("Gelu"));
}

TEST(OperatorConfig, SwitchesOffWhatALevelSwitchesOn) {
  Choices choices;
  choices.plans.level = 1;
  choices.plans.config = parse_config("Gelu:0");
  const auto study = study_of(choices);
  for (const PlanRow& row : study->plan_table->plans) {
    if (row.config.find("Gelu+:") != std::string::npos) {
      EXPECT_FALSE(row.on) << row.config;
    }
  }
}

TEST(OperatorConfig, IsUndoneRowByRow) {
  Choices choices;
  choices.plans.config = parse_config("Gelu:1");
  const auto study = study_of(choices);
  for (const PlanRow& row : study->plan_table->plans) {
    if (!row.on) continue;
    const auto after = study_of(with_plan(*study, choices, row, false));
    for (const PlanRow& other : after->plan_table->plans) {
      if (other.config == row.config) {
        EXPECT_FALSE(other.on);
      }
    }
  }
}

TEST(OperatorConfig, SaysWhenNothingFits) {
  Choices choices;
  choices.plans.config = parse_config("Tile:1");
  const auto study = study_of(choices);
  bool said = false;
  for (const std::string& warning : study->warnings) {
    said = said || warning.find("'Tile' matches nothing") != std::string::npos;
  }
  EXPECT_TRUE(said);
}

TEST(WhyNot, NamesTheNodeThatStoppedTheSearchAndTheRule) {
  Choices choices;
  choices.plans.search = {0, false};
  const auto study = study_of(choices);
  const std::vector<UnplannedTensor> tensors = unplanned_tensors(*study);
  ASSERT_FALSE(tensors.empty());
  std::size_t stashed = study->opportunities->stashed.size();
  for (const NodePlan& plan : study->opportunities->plans) stashed -= plan.outputs.size();
  EXPECT_EQ(tensors.size(), stashed);
  for (const UnplannedTensor& each : tensors) {
    const std::string& type = study->graph().node(each.stopped_at).op_type;
    // The loss also keeps its probabilities for backward.
    EXPECT_TRUE(type == "MatMul" || type == "SoftmaxCrossEntropyLoss") << type;
    EXPECT_EQ(each.rule, "its operator is not recomputable");
  }
}

TEST(WiderTable, TakesOperatorsThatTheUserNames) {
  test::ModelBuilder m;
  m.input("x", {"N", 8}).input("labels", {"N"}, ElementType::int64).weight("w", {8, 8});
  m.node("MatMul", {"x", "w"}, {"h"}).node("Relu", {"h"}, {"r"});
  m.node("MatMul", {"r", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  const auto model = std::make_shared<const Graph>(m.output("loss").build());
  const auto configs = [&](const Choices& choices) {
    std::vector<std::string> list;
    const auto study = compute_study(model, choices, nullptr, {});
    for (const PlanRow& row : study->plan_table->plans) list.push_back(row.config);
    return list;
  };
  EXPECT_EQ(configs({}), std::vector<std::string>{});
  Choices wider;
  wider.plans.search.also_recomputable = {"Relu"};
  EXPECT_EQ(configs(wider), std::vector<std::string>{"MatMul+Relu+:1:-1"});
}

TEST(WiderTable, TakesNewerOpsetsWhenAsked) {
  test::ModelBuilder m(21);
  m.input("x", {"N", 8}, ElementType::float16).input("labels", {"N"}, ElementType::int64);
  m.node("Cast", {"x"}, {"wide"}, {{"to", std::int64_t{1}}}).weight("w", {8, 8});
  m.node("MatMul", {"wide", "w"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  const auto model = std::make_shared<const Graph>(m.output("loss").build());
  Choices choices;
  EXPECT_TRUE(compute_study(model, choices, nullptr, {})->plan_table->plans.empty());
  choices.plans.search.newer_versions = true;
  ASSERT_FALSE(compute_study(model, choices, nullptr, {})->plan_table->plans.empty());
}

}  // namespace legacy_config_test
}  // namespace stashscope
