// Lower bounds on the peak, compared with exhaustive search.

#include "core/planner/peak_lower_bound.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/random_tasks.h"

namespace stashscope {
namespace peak_lower_bound_test {

PeakLowerBound bound_of(const TaskGraph& graph) {
  return recompute_peak_lower_bound(graph, test::given_order(graph), {0, 1'000'000, 1}, Progress());
}

TEST(PeakLowerBound, IsTheSumOfWhatItNames) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    TaskGraph graph = test::random_tasks(seed, 12);
    graph.persistent_bytes = 100;
    for (std::size_t i = seed % 3; i < graph.tasks(); i += 3) graph.most_runs[TaskId(i)] = 1;
    const PeakLowerBound bound = bound_of(graph);
    std::int64_t bytes = graph.persistent_bytes;
    for (const ItemId item : bound.items) bytes += graph.bytes[item];
    EXPECT_EQ(bytes, bound.bytes) << seed;
  }
}

TEST(PeakLowerBound, IsNeverAboveTheOptimum) {
  int raised = 0;
  for (std::uint32_t seed = 0; seed < 120; ++seed) {
    TaskGraph graph = test::random_tasks(seed, 5 + seed % 6);
    const std::int64_t when_all_run_again = bound_of(graph).bytes;
    for (std::size_t i = 0; i < graph.tasks(); ++i) {
      if (i % 4 != seed % 4) graph.most_runs[TaskId(i)] = 1;
    }
    const PeakLowerBound bound = bound_of(graph);
    EXPECT_LE(bound.bytes, test::ExhaustivePlan(graph, true).lowest_peak()) << seed;
    EXPECT_GE(bound.bytes, when_all_run_again);
    raised += bound.bytes > when_all_run_again ? 1 : 0;
  }
  EXPECT_GT(raised, 5);
}

TEST(PeakLowerBound, TheEndHoldsAllThatIsKeptWithoutASearch) {
  TaskGraph graph = TaskGraph::of_single_outputs(
      {1, 1, 1, 1}, {5, 5, 5, 5},
      {{TaskId(0), TaskId(1)}, {TaskId(1), TaskId(2)}, {TaskId(2), TaskId(3)}});
  graph.persistent_bytes = 100;
  for (std::size_t i = 0; i < 4; ++i) graph.kept[ItemId(i)] = true;
  const PeakLowerBound bound =
      recompute_peak_lower_bound(graph, test::given_order(graph), {0, 0, 1}, Progress());
  EXPECT_EQ(bound.bytes, 120);
  EXPECT_FALSE(bound.task.valid());
}

TEST(PeakLowerBound, CountsWhatIsKeptToTheEnd) {
  // Each task reads the previous one. All items are kept, like gradients.
  TaskGraph graph = TaskGraph::of_single_outputs(
      {1, 1, 1, 1}, {5, 5, 5, 5},
      {{TaskId(0), TaskId(1)}, {TaskId(1), TaskId(2)}, {TaskId(2), TaskId(3)}});
  EXPECT_EQ(bound_of(graph).bytes, 10);
  for (std::size_t i = 0; i < 4; ++i) {
    graph.kept[ItemId(i)] = true;
    graph.most_runs[TaskId(i)] = 1;
  }
  const PeakLowerBound bound = bound_of(graph);
  EXPECT_EQ(bound.bytes, 20);
  EXPECT_EQ(bound.items.size(), 4U);
}

}  // namespace peak_lower_bound_test
}  // namespace stashscope
