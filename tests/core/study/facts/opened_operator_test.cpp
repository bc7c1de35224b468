#include "core/study/facts/opened_operator.h"

#include <gtest/gtest.h>

#include "core/layout/scene/outline.h"
#include "core/study/facts/memory_tree.h"
#include "core/study/facts/tensor_homes.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace opened_operator_test {

/// A batch normalization in training mode, whose forward node the backward pass replaces.
std::shared_ptr<const Study> study_of(const std::string& node_name) {
  test::ModelBuilder m(15);
  m.input("x", {"N", 2, 3, 3}).weight("w", {2, 2, 1, 1});
  m.weight("scale", {2}).weight("bias", {2}).weight("mean", {2}).weight("variance", {2});
  m.node("Conv", {"x", "w"}, {"c"});
  m.node("BatchNormalization", {"c", "scale", "bias", "mean", "variance"}, {"y", "m", "v"},
         {{"training_mode", std::int64_t{1}}});
  m.output("y");
  GraphData data = m.data();
  data.nodes[NodeId(1)].name = node_name;
  Choices choices;
  choices.dims["N"] = 2;
  return compute_study(std::make_shared<const Graph>(std::move(data)), choices, nullptr, {});
}

NodeId normalization(const Study& study) {
  for (const NodeId node : IdRange<NodeId>(study.graph().nodes().size())) {
    if (study.graph().node(node).op_type == "BatchNormInternal") return node;
  }
  return {};
}

TEST(OpenedOperator, IsThatOfTheFileWhereTheStepRunsAnother) {
  for (const std::string& name : {std::string("norm"), std::string()}) {
    const auto study = study_of(name);
    const NodeId node = normalization(*study);
    ASSERT_TRUE(node.valid());
    EXPECT_EQ(opened_operator(*study, node), "BatchNormalization") << name;
    const auto names = opened_operators(*study);
    ASSERT_EQ(names.size(), 1U);
    EXPECT_EQ(names.begin()->first, node);
    EXPECT_EQ(names.begin()->second, "BatchNormalization");
  }
}

TEST(OpenedOperator, OfOtherNodesIsTheirOwn) {
  const auto study = study_of("norm");
  for (const NodeId node : IdRange<NodeId>(study->graph().nodes().size())) {
    if (node == normalization(*study)) continue;
    EXPECT_EQ(opened_operator(*study, node), study->graph().node(node).op_type);
  }
}

TEST(OpenedOperator, GroupsTheTensorsOfAnOperator) {
  const auto study = study_of("norm");
  const MemoryTree tree = memory_tree(*study, *study->current, MemoryGrouping::op_type);
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(tree.nodes, [&](const auto& each) { return each.name == name; });
  };
  EXPECT_TRUE(has("BatchNormalization"));
  EXPECT_FALSE(has("BatchNormInternal"));
}

}  // namespace opened_operator_test
}  // namespace stashscope
