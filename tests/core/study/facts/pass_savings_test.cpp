#include "core/study/facts/pass_savings.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace pass_savings_test {

/// A perceptron whose scores are added to a bias before they are activated.
std::shared_ptr<const Graph> model() {
  test::ModelBuilder m;
  m.input("x", {"N", 4}).input("labels", {"N"}, ElementType::int64);
  m.weight("w1", {4, 8}).weight("b1", {8}).weight("w2", {8, 3});
  m.node("MatMul", {"x", "w1"}, {"h"}).node("Add", {"h", "b1"}, {"a"});
  m.node("Sigmoid", {"a"}, {"s"}).node("Mul", {"a", "s"}, {"g"});
  m.node("MatMul", {"g", "w2"}, {"scores"});
  m.node("SoftmaxCrossEntropyLoss", {"scores", "labels"}, {"loss"});
  return std::make_shared<const Graph>(m.output("loss").output("scores").build());
}

TEST(PassSavings, AddUpToTheDifferenceOfTheStudies) {
  const auto graph = model();
  Choices choices;
  choices.dims = {{"N", 100}};
  const auto plain = compute_study(graph, choices, nullptr, Progress());
  EXPECT_TRUE(pass_savings(*plain).empty());
  add_passes("fuse_gelu,keep_loss_only", choices);
  choices.graph.precision = ElementType::float16;
  const auto passed = compute_study(graph, choices, plain.get(), Progress());
  const std::vector<PassSaving> savings = pass_savings(*passed);
  ASSERT_EQ(savings.size(), 3U);
  EXPECT_EQ(savings[0].result.name, "keep_loss_only");
  EXPECT_EQ(savings[1].result.name, "fuse_gelu");
  EXPECT_EQ(savings[1].result.changed, 1U);
  EXPECT_LT(savings[1].stashed_bytes_after, savings[1].stashed_bytes_before);
  EXPECT_EQ(savings[2].result.name, "mixed_precision");
  EXPECT_EQ(savings.front().peak_bytes_before, plain->baseline->timeline.peak_bytes);
  EXPECT_EQ(savings.back().peak_bytes_after, passed->baseline->timeline.peak_bytes);
}

TEST(PassSavings, AChangeOfPassesPreparesAnew) {
  const auto graph = model();
  Choices choices;
  const auto plain = compute_study(graph, choices, nullptr, Progress());
  choices.plans.level = 1;
  const auto same = compute_study(graph, choices, plain.get(), Progress());
  EXPECT_EQ(&same->graph(), &plain->graph());
  choices.graph.passes = {"fuse_gelu"};
  const auto passed = compute_study(graph, choices, same.get(), Progress());
  EXPECT_LT(passed->graph().nodes().size(), plain->graph().nodes().size());
  choices.graph.passes.clear();
  const auto back = compute_study(graph, choices, passed.get(), Progress());
  EXPECT_EQ(back->graph().nodes().size(), plain->graph().nodes().size());
}

TEST(PassChoices, AllKeepTheOutputs) {
  Choices choices;
  add_passes("all", choices);
  EXPECT_FALSE(choices.graph.passes.contains("keep_loss_only"));
  EXPECT_TRUE(choices.graph.passes.contains("fold_constants"));
  EXPECT_THROW(add_passes("fold_constants,typo", choices), Error);
  EXPECT_THROW(parse_precision("float8e5m2"), Error);
}

}  // namespace pass_savings_test
}  // namespace stashscope
