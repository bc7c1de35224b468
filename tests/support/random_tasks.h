#pragma once

#include <algorithm>
#include <cstdint>
#include <queue>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "core/planner/cost_bound.h"
#include "core/schedule/tasks/task_graph.h"

namespace stashscope::test {

/// Tasks with costs and bytes from 1 to 20, each reading up to three earlier ones.
inline TaskGraph random_tasks(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<std::int64_t> cost;
  std::vector<std::int64_t> bytes;
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (std::size_t i = 0; i < count; ++i) {
    cost.push_back(1 + random() % 20);
    bytes.push_back(1 + random() % 20);
    for (std::size_t k = random() % 4; i > 0 && k > 0; --k) {
      edges.emplace_back(TaskId(random() % i), TaskId(i));
    }
  }
  return TaskGraph::of_single_outputs(cost, bytes, edges);
}

/// A chain whose first items are read again at the end, as activations are in backward.
inline TaskGraph there_and_back(std::size_t depth) {
  const std::vector<std::int64_t> ones(2 * depth, 1);
  std::vector<std::pair<TaskId, TaskId>> edges;
  for (std::size_t i = 1; i < 2 * depth; ++i) edges.emplace_back(TaskId(i - 1), TaskId(i));
  for (std::size_t i = 0; i < depth; ++i) edges.emplace_back(TaskId(i), TaskId(2 * depth - 1 - i));
  return TaskGraph::of_single_outputs(ones, ones, edges);
}

inline std::vector<TaskId> given_order(const TaskGraph& graph) {
  std::vector<TaskId> order;
  for (const TaskId task : IdRange<TaskId>(graph.tasks())) order.push_back(task);
  return order;
}

/// Exact answers by exhaustive search for graphs of up to 16 tasks that make one item each. A state
/// is the set of tasks that have run, the set of items in memory, and the set of evicted items. A
/// task may run if all it reads is in memory. An item may be freed at any time, also while a task
/// runs that takes its memory over, and restored at any time once it has been evicted. Items that
/// are kept must be in memory at the end.
class ExhaustivePlan {
 public:
  ExhaustivePlan(const TaskGraph& graph, bool with_repeats, EvictionCosts evictions = {})
      : graph_(graph),
        with_repeats_(with_repeats),
        evictions_(std::move(evictions)),
        reads_(graph.tasks(), 0),
        takes_over_(graph.tasks(), 0) {
    for (const TaskId task : IdRange<TaskId>(graph.tasks())) {
      for (const ItemId item : graph.inputs[task]) {
        reads_[task.index()] |= 1U << item.index();
        if (takes_over(graph, task, item)) takes_over_[task.index()] |= 1U << item.index();
      }
    }
    for (const ItemId item : IdRange<ItemId>(graph.items())) {
      if (graph.kept[item]) kept_ |= 1U << item.index();
    }
  }

  /// The lowest cost of a sequence within a budget, or -1 if there is none.
  std::int64_t lowest_cost(std::int64_t budget) const {
    // cost, done, held, evicted
    using Entry = std::tuple<std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> closed;
    const std::uint32_t all = (1U << graph_.tasks()) - 1;
    open.emplace(0, 0, 0, 0);
    while (!open.empty()) {
      const auto [cost, done, held, away] = open.top();
      open.pop();
      if (done == all && (kept_ & ~held) == 0) return cost;
      if (!closed.emplace(done, held, away).second) continue;
      for (std::uint32_t item = 0; item < graph_.tasks(); ++item) {
        const std::uint32_t bit = 1U << item;
        const bool is_held = (held & bit) != 0;
        if (is_held) open.emplace(cost, done, held & ~bit, away);
        const bool can_evict = !evictions_.empty() && evictions_[TaskId(item)] && (away & bit) == 0;
        if (is_held && can_evict) {
          open.emplace(cost + *evictions_[TaskId(item)], done, held, away | bit);
        }
        const bool fits = bytes_of(held | bit) <= budget;
        if (!is_held && (away & bit) != 0 && fits) open.emplace(cost, done, held | bit, away);
      }
      for (std::uint32_t task = 0; task < graph_.tasks(); ++task) {
        const std::uint32_t bit = 1U << task;
        const bool again = (done & bit) != 0;
        const bool may_repeat = with_repeats_ && graph_.most_runs[TaskId(task)] > 1;
        if ((held & bit) != 0 || (again && !may_repeat)) continue;
        if ((reads_[task] & ~held) != 0) continue;
        // Each set of items whose memory the task takes over.
        for (std::uint32_t freed = takes_over_[task];; freed = (freed - 1) & takes_over_[task]) {
          const std::uint32_t after = (held & ~freed) | bit;
          if (bytes_of(after) <= budget) {
            open.emplace(cost + graph_.cost[TaskId(task)], done | bit, after, away);
          }
          if (freed == 0) break;
        }
      }
    }
    return -1;
  }

  /// The lowest peak of any sequence.
  std::int64_t lowest_peak() const {
    std::int64_t low = 0;
    std::int64_t high = bytes_of((1U << graph_.tasks()) - 1);
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (lowest_cost(middle) >= 0) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

 private:
  std::int64_t bytes_of(std::uint32_t items) const {
    std::int64_t bytes = graph_.persistent_bytes;
    for (std::uint32_t item = 0; item < graph_.tasks(); ++item) {
      if ((items >> item & 1U) != 0) bytes += graph_.bytes[ItemId(item)];
    }
    return bytes;
  }

  const TaskGraph& graph_;
  bool with_repeats_;
  EvictionCosts evictions_;
  std::vector<std::uint32_t> reads_;
  std::vector<std::uint32_t> takes_over_;
  std::uint32_t kept_ = 0;
};

}  // namespace stashscope::test
