#include <algorithm>

#include "core/schedule/minimal/minimal_order.h"
#include "core/schedule/minimal/order_bound.h"
#include "core/schedule/orders/strategies.h"
#include "core/schedule/tasks/step_tasks.h"

namespace stashscope {

namespace {

/// A limit of about 400 moves per task, which takes about a second for a thousand tasks.
SearchLimit limit_for(const TaskGraph& graph) {
  constexpr std::int64_t moves_of_a_task = 400;
  constexpr std::int64_t most_moves = 2'000'000;
  const auto tasks = static_cast<std::int64_t>(graph.tasks());
  return {0, std::clamp<std::int64_t>(moves_of_a_task * tasks, 20'000, most_moves), 1};
}

bool same_memory(const TaskGraph& a, const TaskGraph& b) {
  for (const TaskId task : IdRange<TaskId>(a.tasks())) {
    if (!std::ranges::equal(a.inputs[task], b.inputs[task])) return false;
  }
  for (const ItemId item : IdRange<ItemId>(a.items())) {
    const bool same = std::ranges::equal(a.readers[item], b.readers[item], {},
                                         &ItemReader::takes_over, &ItemReader::takes_over);
    if (!same) return false;
  }
  return true;
}

}  // namespace

SearchedOrder searched_order(const OrderInput& input) {
  const Topology& topology = input.dataflow.topology;
  const IdVector<NodeId, std::int64_t> no_cost(input.dataflow.graph_nodes, 0);
  const StepTasks tasks = step_tasks(input.dataflow, input.memory, no_cost);
  std::vector<std::vector<TaskId>> starts;
  for (const OrderStrategy& strategy : order_strategies()) {
    if (strategy.kind == OrderKind::rule) starts.push_back(tasks.tasks(strategy.order(input)));
  }
  const SearchLimit limit = limit_for(tasks.graph);
  const OrderAnswer answer = minimal_order(tasks.graph, starts, limit, input.progress);
  SearchedOrder found{tasks.nodes(topology, answer.order), answer.bound_bytes, answer.method};
  const StepTasks below = step_tasks(input.dataflow, input.memory, no_cost, Estimate::below);
  if (!same_memory(tasks.graph, below.graph)) {
    // The search graph may need more bytes than the step, so a bound of the search graph is not
    // valid for the step.
    found.bound_bytes =
        order_bound(below.graph, answer.order, share_of(limit, 0.1), input.progress);
  }
  return found;
}

}  // namespace stashscope
