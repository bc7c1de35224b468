#include "core/planner/peak_lower_bound.h"

#include <algorithm>
#include <numeric>

#include "core/schedule/minimal/order_bound.h"

namespace stashscope {

namespace {

/// The bytes live while a task runs: the task's inputs and outputs and the items of `beside`, each
/// counted once. Leaves out inputs whose memory an output can take over.
PeakLowerBound running(const TaskGraph& graph, TaskId task, std::vector<ItemId> beside) {
  const auto made = graph.outputs[task];
  for (const ItemId item : graph.inputs[task]) {
    if (!takes_over(graph, task, item)) beside.push_back(item);
  }
  beside.insert(beside.end(), made.begin(), made.end());
  std::sort(beside.begin(), beside.end());
  beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
  PeakLowerBound here{graph.persistent_bytes, task, std::move(beside)};
  for (const ItemId item : here.items) here.bytes += graph.bytes[item];
  return here;
}

/// The bound from the end of the sequence, where all kept items are live.
PeakLowerBound at_end(const TaskGraph& graph) {
  PeakLowerBound end{graph.persistent_bytes, {}, {}};
  for (const ItemId item : IdRange<ItemId>(graph.items())) {
    if (!graph.kept[item]) continue;
    end.items.push_back(item);
    end.bytes += graph.bytes[item];
  }
  return end;
}

bool is_lower(const PeakLowerBound& a, const PeakLowerBound& b) { return a.bytes < b.bytes; }

void raise(PeakLowerBound& bound, PeakLowerBound here) {
  if (is_lower(bound, here)) bound = std::move(here);
}

/// before_running takes quadratic time, so it is not called for tasks with more inputs than this.
constexpr std::size_t most_reads = 256;

/// A lower bound on the bytes live while the last input of the task is made: the minimum over all
/// inputs that may be made last. @pre the task has inputs
PeakLowerBound before_running(const TaskGraph& graph, TaskId task) {
  std::vector<PeakLowerBound> cases;
  for (const ItemId last : graph.inputs[task]) {
    std::vector<ItemId> others;
    for (const ItemId item : graph.inputs[task]) {
      if (graph.maker[item] != graph.maker[last]) others.push_back(item);
    }
    cases.push_back(running(graph, graph.maker[last], std::move(others)));
  }
  return *std::ranges::min_element(cases, is_lower);
}

/// Finds the items that must be live while a task runs, among the items whose makers may run only
/// once.
class OnceMadeItems {
 public:
  explicit OnceMadeItems(const TaskGraph& graph) : graph_(graph), bytes_(graph.items(), 0) {
    for (const ItemId item : IdRange<ItemId>(graph.items())) {
      if (graph.most_runs[graph.maker[item]] == 1) bytes_[item] = graph.bytes[item];
    }
  }

  PeakLowerBound beside(TaskId task) const {
    PeakLowerBound here = running(graph_, task, {});
    IdVector<ItemId, std::int64_t> weight = bytes_;
    for (const ItemId item : here.items) weight[item] = 0;
    for (const ItemId item : graph_.inputs[task]) weight[item] = 0;
    const LeastCut cut = least_cut_at(graph_, task, weight);
    here.bytes += cut.weight;
    for (const ItemId item : cut.items) {
      if (weight[item] > 0) here.items.push_back(item);
    }
    return here;
  }

  /// For each slot of an order, an upper bound on the bytes that `beside` returns for the slot's
  /// task.
  std::vector<std::int64_t> at_most(std::span<const TaskId> order) const {
    TaskGraph once = graph_;
    once.bytes = bytes_;
    std::vector<std::int64_t> bytes = memory_of(once, order).live_bytes;
    for (std::size_t step = 0; step < order.size(); ++step) {
      for (const auto items : {graph_.inputs[order[step]], graph_.outputs[order[step]]}) {
        for (const ItemId item : items) bytes[step] += graph_.bytes[item];
      }
    }
    return bytes;
  }

 private:
  const TaskGraph& graph_;
  IdVector<ItemId, std::int64_t> bytes_;
};

}  // namespace

PeakLowerBound recompute_peak_lower_bound(const TaskGraph& graph, std::span<const TaskId> order,
                                          const SearchLimit& limit, const Progress& progress) {
  PeakLowerBound bound = at_end(graph);
  for (const TaskId task : IdRange<TaskId>(graph.tasks())) {
    raise(bound, running(graph, task, {}));
    const std::size_t reads = graph.inputs[task].size();
    if (reads > 0 && reads <= most_reads) raise(bound, before_running(graph, task));
  }
  const OnceMadeItems once(graph);
  const std::vector<std::int64_t> at_most = once.at_most(order);
  std::vector<std::size_t> steps(order.size());
  std::iota(steps.begin(), steps.end(), std::size_t{0});
  std::ranges::stable_sort(steps, std::greater(), [&](std::size_t step) { return at_most[step]; });
  const SearchClock clock(limit, progress);
  std::int64_t moves = 0;
  for (const std::size_t step : steps) {
    if (at_most[step] <= bound.bytes || clock.used(moves) >= 1) break;
    moves += static_cast<std::int64_t>(graph.tasks() + graph.items());
    raise(bound, once.beside(order[step]));
  }
  return bound;
}

}  // namespace stashscope
