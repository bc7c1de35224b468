// Measures how many search moves one core makes per second.

#include <benchmark/benchmark.h>

#include "core/planner/recompute_moves.h"
#include "core/schedule/tasks/run_sequence.h"
#include "core/schedule/tasks/sequence_moves.h"

namespace stashscope {
namespace {

/// The forward and backward pass of a chain in which every third task also reads the task three
/// before it.
TaskGraph there_and_back(std::size_t tasks) {
  SearchRandom random(1);
  std::vector<std::int64_t> cost;
  std::vector<std::int64_t> bytes;
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (std::size_t i = 0; i < tasks; ++i) {
    cost.push_back(1 + random.below(100));
    bytes.push_back(1 + random.below(1000));
    if (i > 0) edges.emplace_back(TaskId(i - 1), TaskId(i));
    if (i > 3 && i % 3 == 0) edges.emplace_back(TaskId(i - 3), TaskId(i));
    if (2 * i >= tasks) edges.emplace_back(TaskId(tasks - 1 - i), TaskId(i));
  }
  return TaskGraph::of_single_outputs(cost, bytes, edges);
}

/// Layers of ten tasks. Each task reads two or three tasks of the previous layer.
TaskGraph layers(std::size_t tasks) {
  constexpr std::size_t width = 10;
  SearchRandom random(1);
  std::vector<std::int64_t> bytes;
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (std::size_t i = 0; i < tasks; ++i) {
    bytes.push_back(1 + random.below(1000));
    for (std::uint32_t k = 2 + random.below(2); i >= width && k > 0; --k) {
      edges.emplace_back(TaskId((i / width - 1) * width + random.below(width)), TaskId(i));
    }
  }
  return TaskGraph::of_single_outputs(std::vector<std::int64_t>(tasks, 1), bytes, edges);
}

std::vector<TaskId> given_order(const TaskGraph& graph) {
  std::vector<TaskId> order;
  for (const TaskId task : IdRange<TaskId>(graph.tasks())) order.push_back(task);
  return order;
}

/// Undoes half of the moves, as a search does after its start.
void order_moves(benchmark::State& state) {
  const TaskGraph graph = layers(static_cast<std::size_t>(state.range(0)));
  RunSequence sequence(graph, given_order(graph));
  SearchRandom random(2);
  std::int64_t moves = 0;
  for (auto _ : state) {
    shift_random_run(sequence, random);
    benchmark::DoNotOptimize(sequence.peak_bytes());
    random.below(2) == 0 ? sequence.keep() : sequence.undo();
    if (++moves % 4096 == 0) sequence.respace();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(order_moves)->Arg(100)->Arg(1000)->Arg(10000);

void recompute_moves(benchmark::State& state) {
  const TaskGraph graph = there_and_back(static_cast<std::size_t>(state.range(0)));
  RunSequence sequence(graph, given_order(graph));
  SearchRandom random(2);
  RecomputeMoves moves(sequence, random);
  for (auto _ : state) {
    if (sequence.is_crowded()) sequence.respace();
    random.below(2) == 0 ? moves.repeat_any() : moves.remove_any();
    benchmark::DoNotOptimize(sequence.peak_bytes());
    random.below(2) == 0 ? sequence.keep() : sequence.undo();
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(recompute_moves)->Arg(100)->Arg(1000)->Arg(10000);

}  // namespace
}  // namespace stashscope

BENCHMARK_MAIN();
