// Orders of the lowest peak, compared with exhaustive search.

#include "core/schedule/minimal/minimal_order.h"

#include <gtest/gtest.h>

#include "core/schedule/minimal/exact_order.h"
#include "core/schedule/minimal/list_orders.h"
#include "core/schedule/minimal/order_bound.h"
#include "tests/support/random_tasks.h"

namespace stashscope {
namespace minimal_order_test {

constexpr SearchLimit few_moves{0, 20'000, 1};

TEST(ExactOrder, IsAsGoodAsTryingEverything) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const TaskGraph graph = test::random_tasks(seed, 4 + seed % 7);
    const auto order = exact_order(graph, 0, {}, Progress());
    ASSERT_TRUE(order);
    EXPECT_EQ(memory_of(graph, *order).peak_bytes, test::ExhaustivePlan(graph, false).lowest_peak())
        << seed;
  }
}

TEST(ExactOrder, GivesUpWhereThereAreTooManySets) {
  const std::vector<std::int64_t> ones(40, 1);
  const TaskGraph apart = TaskGraph::of_single_outputs(ones, ones, {});
  EXPECT_TRUE(exact_order(apart, 0, {0, 1000}, Progress())) << "each frees what it makes at once";
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (std::size_t i = 0; i + 1 < ones.size(); ++i) edges.emplace_back(TaskId(i), TaskId(39));
  const TaskGraph star = TaskGraph::of_single_outputs(ones, ones, edges);
  EXPECT_FALSE(exact_order(star, 0, {0, 10}, Progress()));
}

TEST(OrderBound, IsNeverAboveTheOptimum) {
  int tight = 0;
  for (std::uint32_t seed = 100; seed < 140; ++seed) {
    const TaskGraph graph = test::random_tasks(seed, 4 + seed % 7);
    const std::int64_t bound =
        order_bound(graph, test::given_order(graph), {0, 1'000, 1}, Progress());
    const std::int64_t optimum = test::ExhaustivePlan(graph, false).lowest_peak();
    EXPECT_LE(bound, optimum) << seed;
    tight += bound == optimum ? 1 : 0;
  }
  EXPECT_GT(tight, 10) << "a bound that says nothing is worth nothing";
}

TEST(MinimalOrder, ProvesSmallGraphs) {
  for (std::uint32_t seed = 200; seed < 230; ++seed) {
    const TaskGraph graph = test::random_tasks(seed, 3 + seed % 10);
    const OrderAnswer answer =
        minimal_order(graph, {test::given_order(graph)}, few_moves, Progress());
    EXPECT_TRUE(answer.is_proven());
    EXPECT_EQ(answer.gap(), 0);
    EXPECT_EQ(answer.peak_bytes, test::ExhaustivePlan(graph, false).lowest_peak()) << seed;
    EXPECT_EQ(memory_of(graph, answer.order).peak_bytes, answer.peak_bytes);
  }
}

/// `width` chains of three tasks that grow, shrink, and are summed up one after the other.
TaskGraph parallel_chains(std::size_t width) {
  std::vector<std::int64_t> bytes;
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (std::size_t stage = 0; stage < 4; ++stage) {
    for (std::size_t chain = 0; chain < width; ++chain) {
      const TaskId task(stage * width + chain);
      bytes.push_back(stage == 1 ? 8 : 4);
      if (stage > 0) edges.emplace_back(TaskId(task.index() - width), task);
      if (stage == 3 && chain > 0) edges.emplace_back(TaskId(task.index() - 1), task);
    }
  }
  return TaskGraph::of_single_outputs(std::vector<std::int64_t>(bytes.size(), 1), bytes, edges);
}

TEST(ListOrders, AreValidAndOftenBetterThanTheGivenOrder) {
  int better = 0;
  for (std::uint32_t seed = 300; seed < 340; ++seed) {
    const TaskGraph graph = test::random_tasks(seed, 40);
    const std::int64_t given = memory_of(graph, test::given_order(graph)).peak_bytes;
    for (const auto& order : {forward_list_order(graph), backward_list_order(graph)}) {
      better += memory_of(graph, order).peak_bytes < given ? 1 : 0;
    }
  }
  EXPECT_GT(better, 40);
}

TEST(MinimalOrder, FindsTheDepthFirstOrderFromTheBreadthFirstOne) {
  // One chain at a time: the partial sum, and 4 + 8 where the chain grows. Forty chains have more
  // sets than the exact search can visit.
  for (const std::size_t width : {10U, 40U}) {
    const TaskGraph graph = parallel_chains(width);
    const auto start = test::given_order(graph);
    EXPECT_EQ(memory_of(graph, start).peak_bytes, static_cast<std::int64_t>(width - 1) * 8 + 4 + 8);
    const OrderAnswer answer = minimal_order(graph, {start}, few_moves, Progress());
    EXPECT_EQ(answer.peak_bytes, 16);
    EXPECT_EQ(answer.is_proven(), width == 10) << "within 20,000 sets";
  }
}

TEST(AnnealOrder, GetsFarFromTheBreadthFirstOrderByItself) {
  const TaskGraph graph = parallel_chains(8);
  const auto start = test::given_order(graph);
  const auto order = anneal_order(graph, start, 16, {0, 100'000, 1}, Progress());
  EXPECT_LE(memory_of(graph, order).peak_bytes, memory_of(graph, start).peak_bytes / 3);
}

TEST(AnnealOrder, MostlyFindsTheLowestPeakOfSmallGraphs) {
  int lowest = 0;
  int better = 0;
  for (std::uint32_t seed = 500; seed < 530; ++seed) {
    const TaskGraph graph = test::random_tasks(seed, 6 + seed % 7);
    const auto start = test::given_order(graph);
    const std::int64_t optimum = test::ExhaustivePlan(graph, false).lowest_peak();
    const auto order = anneal_order(graph, start, 0, {0, 20'000, 1}, Progress());
    EXPECT_GE(memory_of(graph, order).peak_bytes, optimum) << seed;
    lowest += memory_of(graph, order).peak_bytes == optimum ? 1 : 0;
    better += memory_of(graph, start).peak_bytes > optimum ? 1 : 0;
  }
  EXPECT_GE(lowest, 28) << "minimal_order proves such graphs; here, annealing is by itself";
  EXPECT_GT(better, 10) << "most given orders must be worse";
}

TEST(AnnealOrder, IsTheSameForTheSameSeed) {
  const TaskGraph graph = test::random_tasks(7, 60);
  const auto run = [&](std::uint64_t seed) {
    return anneal_order(graph, test::given_order(graph), 0, {0, 20'000, seed}, Progress());
  };
  EXPECT_EQ(run(3), run(3));
}

TEST(AnnealOrder, StopsWhenItIsCancelledAndGivesTheBestSoFar) {
  const TaskGraph graph = parallel_chains(20);
  const Progress progress;
  int better = 0;
  const auto order = anneal_order(graph, test::given_order(graph), 0, {0, 0, 1}, progress,
                                  [&](const std::vector<TaskId>&) {
                                    if (++better == 3) progress.cancel();
                                  });
  EXPECT_LT(memory_of(graph, order).peak_bytes,
            memory_of(graph, test::given_order(graph)).peak_bytes);
}

}  // namespace minimal_order_test
}  // namespace stashscope
