// The published planning instances, with few moves; bench/instances_table.py runs them in full.

#include <gtest/gtest.h>

#include <filesystem>

#include "core/planner/planning_instance.h"
#include "core/planner/sequence_plan.h"
#include "core/schedule/minimal/minimal_order.h"

namespace stashscope {
namespace instances_test {

namespace fs = std::filesystem;

const fs::path folder = STASHSCOPE_SHARED "/instances";
constexpr std::int64_t gib = 1 << 20;  // in the instances' KiB

/// A published result, and the allowed excess with few moves.
struct Row {
  const char* instance;
  std::int64_t budget;
  std::int64_t published_cost;
  double allowance;
};

class PublishedBudget : public testing::TestWithParam<Row> {};

TEST_P(PublishedBudget, IsMetAtAboutThePublishedCost) {
  const Row& row = GetParam();
  const fs::path file = folder / (std::string(row.instance) + ".txt");
  if (!fs::exists(file)) GTEST_SKIP() << "no shared/instances";
  const PlanningInstance instance = read_instance(file);
  const SequencePlan plan = plan_sequence(instance.graph, {instance.given_order}, row.budget, {},
                                          {0, 200'000, 1}, Progress());
  ASSERT_TRUE(plan.found.feasible);
  const SequenceMemory memory = memory_of(instance.graph, plan.found.sequence);
  EXPECT_LE(memory.peak_bytes, row.budget);
  EXPECT_EQ(memory.cost, plan.found.cost);
  EXPECT_LE(plan.found.cost,
            static_cast<std::int64_t>(static_cast<double>(row.published_cost) * row.allowance));
  EXPECT_GE(plan.found.cost, plan.cost_bound);
}

INSTANTIATE_TEST_SUITE_P(Shared, PublishedBudget,
                         testing::Values(Row{"zoo_resnet50_b184", 10 * gib, 108048, 1.03},
                                         Row{"zoo_resnet50_b184", 5 * gib, 122812, 1},
                                         Row{"zoo_unet_b11", 10 * gib, 192809, 1.03},
                                         Row{"zoo_vgg16_b176", 8 * gib, 255828, 1.03}));

TEST(PublishedBudget, BelowTheFloorIsProvenImpossible) {
  const fs::path file = folder / "zoo_vgg16_b176.txt";
  if (!fs::exists(file)) GTEST_SKIP() << "no shared/instances";
  const PlanningInstance instance = read_instance(file);
  const SequencePlan plan = plan_sequence(instance.graph, {instance.given_order}, 7 * gib, {},
                                          {0, 20'000, 1}, Progress());
  EXPECT_FALSE(plan.found.feasible);
  EXPECT_TRUE(plan.is_impossible(7 * gib));
}

/// Peaks of the published orders, or better ones.
TEST(PublishedOrders, AreFoundAndProven) {
  for (const auto& [name, peak] :
       {std::pair("layered_rl1_n100", 36'790), std::pair("layered_rl2_n250", 105'170)}) {
    const fs::path file = folder / (std::string(name) + ".txt");
    if (!fs::exists(file)) GTEST_SKIP() << "no shared/instances";
    const PlanningInstance instance = read_instance(file);
    const OrderAnswer answer =
        minimal_order(instance.graph, {instance.given_order}, {0, 400'000, 1}, Progress());
    EXPECT_EQ(answer.peak_bytes, peak) << name;
    EXPECT_TRUE(answer.is_proven()) << name;
  }
}

}  // namespace instances_test
}  // namespace stashscope
