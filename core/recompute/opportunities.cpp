#include "core/recompute/opportunities.h"

#include <algorithm>
#include <set>

#include "core/recompute/layer_boundary.h"
#include "core/recompute/strategy.h"
#include "core/schedule/orders.h"

namespace stashscope {

namespace {

/// Order and boundary, and readers on each side of it for every value of a forward node.
void analyse_stash(const Graph& graph, NodeId yield, Stash& stash) {
  stash.order = reference_order({graph, Dataflow(graph), yield});
  stash.position.resize(stash.order.size());
  for (std::size_t i = 0; i < stash.order.size(); ++i) stash.position[stash.order[i].index()] = i;
  stash.is_stashed = IdVector<ValueId, bool>(graph.values().size(), false);
  stash.read_in_backward = IdVector<ValueId, bool>(graph.values().size(), false);
  if (!yield.valid()) return;
  stash.boundary = stash.position[yield.index()];
  for (std::size_t i = 0; i <= stash.boundary; ++i) {
    for (const ValueId output : graph.topology().outputs[stash.order[i]]) {
      bool forward = false;
      for (const NodeId reader : graph.topology().readers[output]) {
        if (stash.is_forward(reader)) {
          forward = true;
        } else {
          stash.read_in_backward[output] = true;
        }
      }
      if (!forward || !stash.read_in_backward[output] || stash.order[i] == yield) continue;
      stash.is_stashed[output] = true;
      stash.stashed.push_back(output);
    }
  }
}

/// Sorts plans by entry, from last to first; of one entry in the strategies' order.
void sort_plans(const Stash& stash, std::vector<NodePlan>& plans) {
  std::stable_sort(plans.begin(), plans.end(), [&](const NodePlan& a, const NodePlan& b) {
    return stash.position[a.node.index()] > stash.position[b.node.index()];
  });
}

/// What stopped one strategy does not matter where another one goes on.
void drop_obstacles_with_plans(Opportunities& found) {
  std::set<NodeId> planned;
  for (const NodePlan& plan : found.plans) planned.insert(plan.node);
  std::erase_if(found.obstacles,
                [&](const Obstacle& obstacle) { return planned.contains(obstacle.entry); });
}

}  // namespace

Opportunities find_opportunities(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                 NodeId yield, const Probe& probe) {
  Opportunities found;
  analyse_stash(graph, yield, found);
  if (!yield.valid()) return found;
  StrategyInput input{graph, ops, found, probe, {}};
  if (probe.layer_boundary) {
    input.kept = layer_boundary_inputs(graph, found.position, found.boundary);
  }
  for (const Strategy& strategy : strategies()) {
    Findings findings = strategy.find(input);
    auto& plans = in_reference(strategy.type) ? found.plans : found.extensions;
    std::move(findings.plans.begin(), findings.plans.end(), std::back_inserter(plans));
    std::move(findings.obstacles.begin(), findings.obstacles.end(),
              std::back_inserter(found.obstacles));
  }
  sort_plans(found, found.plans);
  drop_obstacles_with_plans(found);
  return found;
}

}  // namespace stashscope
