// Plans of pinned nodes count as occurrences but are not applied.

#include <gtest/gtest.h>

#include "core/ops/families/standard_ops.h"
#include "core/passes/training_step.h"
#include "core/recompute/apply.h"
#include "tests/support/model_builder.h"

namespace stashscope {
namespace pinned_nodes_test {

class PinnedNodesOfFour : public testing::Test {
 protected:
  PinnedNodesOfFour()
      : step(prepare_training_step(test::deep_perceptron(5).build(), {})),
        found(find_opportunities(*step.graph, resolve_ops(*step.graph), step.boundary,
                                 RecomputeSearchOptions())),
        gelus(plans_of(found, "Gelu+", PlanType::recompute)) {}

  /// Numbers of the layers whose plans are selected.
  std::vector<int> selected(const std::string& config, const std::vector<int>& pinned) const {
    PinnedNodes nodes(step.graph->nodes().size(), false);
    for (const int layer : pinned) nodes[gelus[static_cast<std::size_t>(layer)]->node] = true;
    std::vector<int> layers;
    for (const NodePlan* const plan : select_plans(found, parse_config(config), nodes)) {
      for (std::size_t i = 0; i < gelus.size(); ++i) {
        if (gelus[i] == plan) layers.push_back(static_cast<int>(i));
      }
    }
    return layers;
  }

  TrainingStep step;
  Opportunities found;
  std::vector<const NodePlan*> gelus;
};

TEST_F(PinnedNodesOfFour, AreLeftOut) {
  ASSERT_EQ(gelus.size(), 4U);
  EXPECT_EQ(selected("Gelu+:1:-1", {}), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(selected("Gelu+:1:-1", {1, 3}), (std::vector{0, 2}));
  EXPECT_TRUE(selected("Gelu+:1:-1", {0, 1, 2, 3}).empty());
}

TEST_F(PinnedNodesOfFour, TakeTheirPlaceAmongThoseThatACountCovers) {
  EXPECT_EQ(selected("Gelu+:1:2", {0}), (std::vector{1}));
  EXPECT_EQ(selected("Gelu+:1:2", {3}), (std::vector{0, 1}));
  EXPECT_TRUE(selected("Gelu+:1:1", {0}).empty());
}

TEST_F(PinnedNodesOfFour, AreNoneWithoutAList) {
  EXPECT_EQ(select_plans(found, parse_config("Gelu+:1:-1")).size(), 4U);
  EXPECT_TRUE(plans_of(found, "Gelu+", PlanType::compromise).empty());
  EXPECT_TRUE(plans_of(found, "Tanh+", PlanType::recompute).empty());
}

}  // namespace pinned_nodes_test
}  // namespace stashscope
