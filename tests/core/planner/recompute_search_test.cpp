// Sequences for a budget, compared with exhaustive search.

#include "core/planner/recompute_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/planner/sequence_plan.h"
#include "tests/support/random_tasks.h"

namespace stashscope {
namespace recompute_search_test {

using test::there_and_back;

constexpr SearchLimit few_moves{0, 200'000, 1};

TEST(RecomputeSearch, FindsTheOptimumOfSmallGraphs) {
  int with_repeats = 0;
  for (std::uint32_t seed = 0; seed < 32; ++seed) {
    const TaskGraph graph =
        seed % 4 == 0 ? there_and_back(3 + seed / 12) : test::random_tasks(seed, 6 + seed % 7);
    const test::ExhaustivePlan truth(graph, true);
    const std::int64_t least = truth.lowest_peak();
    const std::int64_t once = test::ExhaustivePlan(graph, false).lowest_peak();
    for (std::int64_t budget = least; budget <= once;
         budget += std::max<std::int64_t>(1, (once - least) / 2)) {
      const SequencePlan plan =
          plan_sequence(graph, {test::given_order(graph)}, budget, {}, few_moves, Progress());
      const std::int64_t optimum = truth.lowest_cost(budget);
      ASSERT_TRUE(plan.found.feasible) << seed << " " << budget;
      const SequenceMemory memory = memory_of(graph, plan.found.sequence);
      EXPECT_LE(memory.peak_bytes, budget);
      EXPECT_EQ(memory.cost, plan.found.cost);
      EXPECT_EQ(plan.found.cost, optimum) << seed << " " << budget;
      EXPECT_LE(plan.cost_bound, optimum) << seed << " " << budget;
      EXPECT_LE(plan.peak_lower_bound, least);
      with_repeats += optimum > cost_of_all(graph) ? 1 : 0;
    }
  }
  EXPECT_GT(with_repeats, 10) << "most cases must need repeats";
}

TEST(RecomputeSearch, NeverAsksMoreForALargerBudget) {
  for (std::uint32_t seed = 400; seed < 412; ++seed) {
    const TaskGraph graph = test::random_tasks(seed, 5 + seed % 8);
    const std::int64_t least = test::ExhaustivePlan(graph, true).lowest_peak();
    const std::int64_t most = memory_of(graph, test::given_order(graph)).peak_bytes;
    std::int64_t cost_before = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t budget = least; budget <= most; budget += 1 + (most - least) / 6) {
      const SequencePlan plan =
          plan_sequence(graph, {test::given_order(graph)}, budget, {}, few_moves, Progress());
      ASSERT_TRUE(plan.found.feasible) << seed << " " << budget;
      EXPECT_LE(plan.found.cost, cost_before) << seed << " " << budget;
      cost_before = plan.found.cost;
    }
    EXPECT_GE(cost_before, cost_of_all(graph));
  }
}

TEST(RecomputeSearch, SaysThatABudgetCannotBeMet) {
  const TaskGraph graph = there_and_back(6);
  const SequencePlan plan =
      plan_sequence(graph, {test::given_order(graph)}, 2, {}, few_moves, Progress());
  EXPECT_FALSE(plan.found.feasible);
  EXPECT_TRUE(plan.is_impossible(2));
  EXPECT_GE(plan.cost_bound, cost_of_all(graph));
  EXPECT_GE(plan.found.peak_bytes, plan.peak_lower_bound);
  EXPECT_EQ(memory_of(graph, plan.found.sequence).peak_bytes, plan.found.peak_bytes);
}

TEST(RecomputeSearch, IsTheSameForTheSameSeed) {
  const TaskGraph graph = there_and_back(20);
  const auto run = [&] {
    return search_recompute(graph, test::given_order(graph), 12, {}, {0, 20'000, 5}, Progress());
  };
  const BudgetedSequence first = run();
  EXPECT_TRUE(first.feasible);
  EXPECT_EQ(first.sequence, run().sequence);
}

TEST(RecomputeSearch, KeepsTheOrderWhereAsked) {
  const TaskGraph graph = test::random_tasks(4, 30);
  const auto order = test::given_order(graph);
  const std::int64_t budget = memory_of(graph, order).peak_bytes * 8 / 10;
  const SequencePlan plan = plan_sequence(graph, {order}, budget, {true}, few_moves, Progress());
  std::vector<TaskId> first_runs;
  for (const TaskId task : plan.found.sequence) {
    if (std::ranges::find(first_runs, task) == first_runs.end()) first_runs.push_back(task);
  }
  EXPECT_EQ(first_runs, order);
  EXPECT_TRUE(plan.found.feasible);
  EXPECT_GT(plan.found.sequence.size(), order.size());
}

TEST(RecomputeSearch, EndsWhenItIsCancelled) {
  const TaskGraph graph = there_and_back(20);
  const Progress progress;
  progress.cancel();
  const auto found = search_recompute(graph, test::given_order(graph), 12, {}, {0, 0, 5}, progress);
  EXPECT_EQ(found.sequence, test::given_order(graph));
}

}  // namespace recompute_search_test
}  // namespace stashscope
