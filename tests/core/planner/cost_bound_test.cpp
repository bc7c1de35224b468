// Lower bounds on the cost of sequences, compared with exhaustive search.

#include "core/planner/cost_bound.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/random_tasks.h"

namespace stashscope {
namespace cost_bound_test {

using test::ExhaustivePlan;
using test::given_order;

std::int64_t bound(const TaskGraph& graph, std::int64_t budget,
                   const EvictionCosts& evictions = {}) {
  return recompute_cost_bound(graph, given_order(graph), budget, {0, 1'000'000, 1}, Progress(),
                              evictions);
}

TEST(CostBound, KnowsThatSomethingMustRunAgain) {
  const TaskGraph graph = test::there_and_back(20);
  const auto order = test::given_order(graph);
  const std::int64_t peak = memory_of(graph, order).peak_bytes;
  EXPECT_EQ(recompute_cost_bound(graph, order, peak, {0, 100, 1}, Progress()), 40);
  EXPECT_GE(recompute_cost_bound(graph, order, peak - 5, {0, 100, 1}, Progress()), 45);
}

/// What must be freed at the end of the chain are the ends of runs: each needs the runs before it.
TEST(CostBound, CountsTheRunsThatARunNeeds) {
  // Tasks 0 to 3 are a chain. Task 4 reads its end and makes a large item, task 5 reads the items
  // of tasks 3 and 4, and only then there is room again.
  const TaskGraph graph =
      TaskGraph::of_single_outputs({5, 5, 5, 5, 1, 1, 1}, {4, 4, 4, 4, 20, 1, 1},
                                   {{TaskId(0), TaskId(1)},
                                    {TaskId(1), TaskId(2)},
                                    {TaskId(2), TaskId(3)},
                                    {TaskId(3), TaskId(4)},
                                    {TaskId(4), TaskId(5)},
                                    {TaskId(5), TaskId(6)},
                                    {TaskId(2), TaskId(6)}});
  const std::int64_t budget = 24;
  const std::int64_t least = ExhaustivePlan(graph, true).lowest_cost(budget);
  EXPECT_EQ(least, cost_of_all(graph) + 15) << "tasks 0, 1 and 2 run again";
  EXPECT_EQ(bound(graph, budget), least);
}

/// Random tasks, and chains that are read again at their end.
TaskGraph small_graph(std::uint32_t seed) {
  TaskGraph graph = test::random_tasks(seed, 5 + seed % 4);
  if (seed % 2 == 0) return graph;
  graph = test::there_and_back(3 + seed % 3);
  const TaskGraph figures = test::random_tasks(seed, graph.tasks());
  graph.cost = figures.cost;
  graph.bytes = figures.bytes;
  return graph;
}

/// Such a graph with kept items, items whose memory is taken over, tasks that run once only, items
/// without bytes, and persistent bytes.
TaskGraph odd_graph(std::uint32_t seed) {
  TaskGraph graph = small_graph(seed);
  std::mt19937 random(seed);
  graph.persistent_bytes = 7;
  for (const TaskId task : IdRange<TaskId>(graph.tasks())) {
    if (random() % 6 == 0) graph.most_runs[task] = 1;
    if (random() % 8 == 0) graph.cost[task] = 0;
  }
  for (const ItemId item : IdRange<ItemId>(graph.items())) {
    graph.kept[item] = random() % 6 == 0;
    if (random() % 8 == 0) graph.bytes[item] = 0;
    for (ItemReader& reader : graph.readers.row(item)) reader.takes_over = random() % 3 == 0;
  }
  return graph;
}

TEST(CostBound, IsNeverAboveTheCheapestSequence) {
  int with_repeats = 0;
  int exact = 0;
  for (std::uint32_t seed = 0; seed < 160; ++seed) {
    const TaskGraph graph = seed < 80 ? small_graph(seed) : odd_graph(seed);
    const ExhaustivePlan truth(graph, true);
    const std::int64_t once = ExhaustivePlan(graph, false).lowest_peak();
    for (std::int64_t budget = truth.lowest_peak(); budget < once; budget += 3) {
      const std::int64_t optimum = truth.lowest_cost(budget);
      const std::int64_t found = bound(graph, budget);
      EXPECT_LE(found, optimum) << seed << " " << budget;
      ++with_repeats;
      exact += found == optimum ? 1 : 0;
    }
  }
  EXPECT_GT(with_repeats, 50);
  EXPECT_GT(exact, 10);
}

/// Task 0 makes three items, of which the last task reads two. Both are freed for the large item of
/// task 1, and one run makes both again.
TEST(CostBound, CountsARunThatMakesTwoItemsOnce) {
  const std::vector<std::vector<std::uint32_t>> inputs = {{}, {2}, {3}, {0, 1, 4}};
  const std::vector<std::vector<std::uint32_t>> outputs = {{0, 1, 2}, {3}, {4}, {}};
  TaskGraph graph;
  const auto add_row = [](IdRows<TaskId, ItemId>& rows, const std::vector<std::uint32_t>& items) {
    rows.start_row();
    for (const std::uint32_t item : items) rows.push(ItemId(item));
  };
  std::vector<std::vector<ItemReader>> readers(5);
  for (std::uint32_t task = 0; task < inputs.size(); ++task) {
    graph.cost.push_back(task == 0 ? 10 : 1);
    graph.most_runs.push_back(unlimited_runs);
    add_row(graph.inputs, inputs[task]);
    add_row(graph.outputs, outputs[task]);
    for (const std::uint32_t item : inputs[task]) readers[item].push_back({TaskId(task)});
    for (std::size_t i = 0; i < outputs[task].size(); ++i) graph.maker.push_back(TaskId(task));
  }
  for (const std::int64_t bytes : {4, 4, 1, 10, 1}) graph.bytes.push_back(bytes);
  for (const std::vector<ItemReader>& each : readers) {
    graph.kept.push_back(false);
    graph.readers.start_row();
    for (const ItemReader& reader : each) graph.readers.push(reader);
  }
  EXPECT_EQ(bound(graph, 19), 13) << "all items fit";
  EXPECT_EQ(bound(graph, 11), 23);
  EXPECT_EQ(memory_of(graph, std::vector{TaskId(0), TaskId(1), TaskId(2), TaskId(0), TaskId(3)})
                .peak_bytes,
            11);
}

TEST(CostBound, IsNeverAboveTheCheapestSequenceThatMayEvict) {
  int cheaper = 0;
  int raised = 0;
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    const TaskGraph graph = seed < 50 ? small_graph(seed) : odd_graph(seed);
    EvictionCosts evictions(graph.tasks());
    for (std::uint32_t task = seed % 2; task < graph.tasks(); task += 2) {
      evictions[TaskId(task)] = 1 + (7 * seed + 5 * task) % 23;
    }
    const ExhaustivePlan truth(graph, true, evictions);
    const ExhaustivePlan by_repeats(graph, true);
    const std::int64_t once = ExhaustivePlan(graph, false).lowest_peak();
    for (std::int64_t budget = truth.lowest_peak(); budget < once; budget += 5) {
      const std::int64_t optimum = truth.lowest_cost(budget);
      const std::int64_t found = bound(graph, budget, evictions);
      EXPECT_LE(found, optimum) << seed << " " << budget;
      raised += found > cost_of_all(graph) ? 1 : 0;
      const std::int64_t repeated = by_repeats.lowest_cost(budget);
      cheaper += repeated < 0 || optimum < repeated ? 1 : 0;
    }
  }
  EXPECT_GT(cheaper, 20);
  EXPECT_GT(raised, 20);
}

}  // namespace cost_bound_test
}  // namespace stashscope
