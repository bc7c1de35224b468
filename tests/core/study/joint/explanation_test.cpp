// The sentences of joint answers: one for each choice, with figures that add up.

#include "core/study/joint/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/study/joint/joint_budget.h"
#include "tests/core/study/joint/joint_steps.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace explanation_test {

using Kind = ExplainedChoice::Kind;

BudgetAnswer planned(const std::shared_ptr<const Study>& study, int percent) {
  return plan_jointly(study,
                      {test::share_of_peak(*study, percent), PlanGranularity::joint, {0, 1000, 1}},
                      Progress());
}

std::size_t made(const BudgetAnswer& answer, const std::vector<Kind>& kinds) {
  return static_cast<std::size_t>(
      std::ranges::count_if(answer.joint->explanation, [&](const ExplainedChoice& each) {
        return each.is_made && std::ranges::find(kinds, each.kind) != kinds.end();
      }));
}

TEST(Explanation, HasOneSentenceForEachChoice) {
  const auto study = test::small_gpt2();
  std::size_t plans = 0;
  for (const int percent : {60, 40, 30, 20}) {
    const BudgetAnswer answer = planned(study, percent);
    const Choices& choices = answer.best.choices;
    EXPECT_EQ(made(answer, {Kind::what_if}), choices.graph.what_ifs.size());
    EXPECT_EQ(made(answer, {Kind::pass}), choices.graph.passes.empty() ? 0U : 1U);
    if (!choices.plans.sequence) {
      EXPECT_EQ(made(answer, {Kind::recompute, Kind::offload, Kind::compress}),
                choices.plans.config.size());
    } else {
      EXPECT_GT(made(answer, {Kind::sequence}), 0U);
    }
    plans += choices.plans.config.size() + (choices.plans.sequence ? 1 : 0);
    for (const ExplainedChoice& each : answer.joint->explanation) {
      EXPECT_TRUE(each.sentence.ends_with('.')) << each.sentence;
      EXPECT_FALSE(each.choice.empty());
      if (each.is_made && each.saving_bytes > 0) {
        EXPECT_FALSE(each.tensor.empty()) << each.sentence;
        EXPECT_NE(each.sentence.find(each.tensor), std::string::npos) << each.sentence;
      }
    }
  }
  EXPECT_GT(plans, 0U);
}

TEST(Explanation, OfWhatIfsAddsUpToTheStepWithoutPlans) {
  const auto study = test::small_gpt2();
  const BudgetAnswer answer = planned(study, 40);
  const auto after = compute_study(study->model, answer.best.choices, nullptr, Progress());
  std::int64_t saved = 0;
  double seconds = 0;
  for (const ExplainedChoice& each : answer.joint->explanation) {
    if (!each.is_made || (each.kind != Kind::what_if && each.kind != Kind::pass)) continue;
    saved += each.saving_bytes;
    seconds += each.seconds;
  }
  EXPECT_GT(saved, 0);
  EXPECT_EQ(saved, study->baseline->timeline.peak_bytes - after->baseline->timeline.peak_bytes);
  EXPECT_NEAR(seconds,
              step_seconds(*after, *after->baseline) - step_seconds(*study, *study->baseline),
              1e-12);
}

TEST(Explanation, OfAttentionNamesItsPlacesAndWhatItFrees) {
  const BudgetAnswer answer = planned(test::small_gpt2(), 40);
  const auto& all = answer.joint->explanation;
  const auto attention = std::ranges::find_if(all, [](const ExplainedChoice& each) {
    return each.is_made && each.choice.starts_with("attention=");
  });
  ASSERT_NE(attention, all.end());
  EXPECT_NE(attention->sentence.find("attention in 2 places: "), std::string::npos)
      << attention->sentence;
  EXPECT_NE(attention->tensor.find("/attn/"), std::string::npos) << attention->tensor;
  EXPECT_GT(attention->saving_bytes, 0);
}

/// An attention whose probabilities are an output of the model.
TEST(Explanation, NamesTheNodeThatStopsAWhatIf) {
  test::ModelBuilder m;
  m.input("x", {"N", 32, 16}).weight("wq", {16, 16}).weight("wk", {16, 16}).weight("wv", {16, 16});
  for (const char* const each : {"q", "k", "v"}) {
    m.node("MatMul", {"x", "w" + std::string(each)}, {each});
  }
  m.node("Transpose", {"k"}, {"kt"}, {{"perm", std::vector<std::int64_t>{0, 2, 1}}});
  m.node("MatMul", {"q", "kt"}, {"scores"});
  m.node("Softmax", {"scores"}, {"probabilities"}, {{"axis", std::int64_t{-1}}});
  m.node("MatMul", {"probabilities", "v"}, {"y"});
  m.node("ReduceMean", {"y"}, {"loss"}, {{"keepdims", std::int64_t{0}}});
  m.output("loss").output("probabilities");
  Choices choices;
  choices.dims["N"] = 8;
  const auto study =
      compute_study(std::make_shared<const Graph>(m.build()), choices, nullptr, Progress());
  const BudgetAnswer answer = planned(study, 90);
  const auto& all = answer.joint->explanation;
  const auto stopped = std::ranges::find_if(all, [](const ExplainedChoice& each) {
    return !each.is_made && each.choice.starts_with("attention=");
  });
  ASSERT_NE(stopped, all.end());
  EXPECT_NE(stopped->sentence.find("probabilities"), std::string::npos) << stopped->sentence;
}

}  // namespace explanation_test
}  // namespace stashscope
