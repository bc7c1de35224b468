#include "core/study/facts/plan_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/captured_chain.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace plan_words_test {

bool has(const std::vector<std::string>& words, const std::string& expected) {
  return std::ranges::find(words, expected) != words.end();
}

TEST(PlanWords, NameTheOperatorAndTheModulesThatHaveIt) {
  const auto words = plan_names(*test::study_of(test::named(test::blocks(3))));
  EXPECT_TRUE(has(words, "MatMul, 3 x mlp")) << testing::PrintToString(words);
  EXPECT_TRUE(has(words, "Add after Gelu, 2 x h")) << testing::PrintToString(words);
}

TEST(PlanWords, NameTheModuleOfASinglePlace) {
  const auto words = plan_names(*test::study_of(test::named(test::blocks(1))));
  EXPECT_TRUE(has(words, "MatMul, in mlp")) << testing::PrintToString(words);
}

TEST(PlanWords, CountPlacesThatShareNoModule) {
  test::ModelBuilder m;
  m.input("x", {"N", 16}).input("labels", {"N"}, ElementType::int64).weight("w", {16, 16});
  m.node("MatMul", {"x", "w"}, {"/a/h"}).node("Gelu", {"/a/h"}, {"/a/g"}, {}, "com.microsoft");
  m.node("MatMul", {"/a/g", "w"}, {"/b/h"}).node("Gelu", {"/b/h"}, {"/b/g"}, {}, "com.microsoft");
  m.node("MatMul", {"/b/g", "w"}, {"y"});
  m.node("SoftmaxCrossEntropyLoss", {"y", "labels"}, {"loss"});
  const auto words = plan_names(*test::study_of(test::named(m.output("loss"))));
  EXPECT_TRUE(has(words, "Gelu, 2 places")) << testing::PrintToString(words);
}

TEST(PlanWords, AreUnique) {
  for (const auto& model : {test::blocks(3), test::mixed_precision(3), test::random_model(3, 60)}) {
    const auto names = plan_names(*test::study_of(test::named(model)));
    EXPECT_FALSE(names.empty());
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size())
        << testing::PrintToString(names);
  }
}

TEST(PlanWords, NameTheTypeOfOtherPlans) {
  const auto names = plan_names(*test::study_of(test::named(test::mixed_precision(3))));
  EXPECT_TRUE(std::ranges::any_of(names, [](const std::string& name) {
    return name.find(", compromise") != std::string::npos;
  })) << testing::PrintToString(names);
}

TEST(PlanWords, NameWhatARegionKeepsInside) {
  GraphData data = test::CapturedChain(2).data();
  for (const NodeId id : IdRange<NodeId>(data.nodes.size())) {
    if (data.nodes[id].op_type == "tanh") data.nodes[id].op_type = "lgamma";
  }
  const auto names =
      plan_names(*test::captured_study(std::move(data), "net.*[keep mm+lgamma]:5:-1"));
  EXPECT_TRUE(has(names, "net.*, 2 modules")) << testing::PrintToString(names);
  EXPECT_TRUE(has(names, "net.*, 2 modules, keeping matrix products"));
  EXPECT_TRUE(has(names, "net.*, 2 modules, keeping matrix products and lgamma"));
}

}  // namespace plan_words_test
}  // namespace stashscope
