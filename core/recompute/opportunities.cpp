#include "core/recompute/opportunities.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/graph/reference_order.h"
#include "core/recompute/layer_boundary.h"
#include "core/recompute/regions.h"
#include "core/recompute/strategy.h"

namespace stashscope {

namespace {

/// The number of nodes in execution order up to and including the YieldOp. In a graph without a
/// YieldOp, the number of nodes up to the last node that makes an output of the boundary, plus the
/// Shape and Size nodes directly after that node, because these would run before a YieldOp.
std::size_t count_forward(const Graph& graph, const Boundary& boundary, const Stash& stash) {
  std::size_t count = 0;
  for (const NodeId end : forward_ends(graph, boundary)) {
    count = std::max(count, stash.position[end.index()] + 1);
  }
  if (boundary.yield.valid()) return count;
  while (count < stash.order.size() && runs_first(graph.node(stash.order[count]))) ++count;
  return count;
}

/// Finds the stashed values: values made in forward and read in backward. By the rules of some
/// versions, a forward node must read them, too.
void find_stashed(const Graph& graph, const Boundary& boundary, const ReferenceRules& rules,
                  Stash& stash) {
  const std::set<ValueId> handed_over(boundary.outputs.begin(), boundary.outputs.end());
  for (std::size_t i = 0; i < stash.forward_nodes; ++i) {
    for (const ValueId output : graph.topology().outputs[stash.order[i]]) {
      bool forward = handed_over.contains(output);
      for (const NodeId reader : graph.topology().readers[output]) {
        if (stash.is_forward(reader)) {
          forward = true;
        } else {
          stash.read_in_backward[output] = true;
        }
      }
      const bool is_kept = forward || rules.stashes_unread_in_forward;
      if (!is_kept || !stash.read_in_backward[output] || stash.order[i] == boundary.yield) continue;
      stash.is_stashed[output] = true;
      stash.stashed.push_back(output);
    }
  }
}

std::vector<std::size_t> positions_in(const std::vector<NodeId>& order) {
  std::vector<std::size_t> positions(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) positions[order[i].index()] = i;
  return positions;
}

void analyse_stash(const Graph& graph, const Boundary& boundary, const ReferenceRules& rules,
                   Stash& stash) {
  stash.order = reference_order(graph, Dataflow(graph), forward_ends(graph, boundary));
  stash.position = positions_in(stash.order);
  stash.name_position =
      rules.names_depth_first ? positions_in(depth_first_order(graph.topology())) : stash.position;
  stash.is_stashed = IdVector<ValueId, bool>(graph.values().size(), false);
  stash.read_in_backward = IdVector<ValueId, bool>(graph.values().size(), false);
  if (!boundary.known()) return;
  stash.forward_nodes = count_forward(graph, boundary, stash);
  find_stashed(graph, boundary, rules, stash);
}

/// Sorts plans by the position of their node in `Stash::order`, from last to first. Plans of the
/// same node stay in the order of their strategies.
void sort_plans(const Stash& stash, std::vector<NodePlan>& plans) {
  std::stable_sort(plans.begin(), plans.end(), [&](const NodePlan& a, const NodePlan& b) {
    return stash.position[a.node.index()] > stash.position[b.node.index()];
  });
}

/// Drops the obstacles of nodes that have a plan. An obstacle to one strategy is irrelevant if
/// another strategy has a plan for the node.
void drop_obstacles_with_plans(Opportunities& found) {
  std::set<NodeId> planned;
  for (const NodePlan& plan : found.plans) planned.insert(plan.node);
  std::erase_if(found.obstacles,
                [&](const Obstacle& obstacle) { return planned.contains(obstacle.entry); });
}

void name_clusters(Opportunities& found) {
  std::unordered_map<std::string_view, ClusterId> ids;
  for (auto* const plans : {&found.plans, &found.extensions}) {
    for (NodePlan& plan : *plans) {
      const auto [known, is_new] = ids.try_emplace(plan.cluster, found.clusters.size());
      if (is_new) found.clusters.push_back(plan.cluster);
      plan.cluster_id = known->second;
    }
  }
}

}  // namespace

Opportunities find_opportunities(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                 const Boundary& boundary, const RecomputeSearchOptions& search,
                                 const std::set<std::string>& asked) {
  Opportunities found;
  found.reference = search.reference;
  analyse_stash(graph, boundary, rules_of(search.reference), found);
  StrategyInput input{graph, ops, boundary, found, search, {}, asked};
  if (graph.data().captured) {
    Findings regions = find_regions(input);
    found.plans = std::move(regions.plans);
    found.only_asked = std::move(regions.only_asked);
    sort_plans(found, found.plans);
    name_clusters(found);
    return found;
  }
  if (!boundary.known()) return found;
  if (search.layer_boundary) {
    input.kept = layer_boundary_inputs(graph, found.position, found.forward_nodes);
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
  name_clusters(found);
  return found;
}

bool answers(const Opportunities& found, const std::set<std::string>& asked) {
  const std::set<std::string> names(found.clusters.begin(), found.clusters.end());
  std::set<std::string> only_asked;
  for (const std::string& name : asked) {
    const bool is_found_anyway = names.contains(name) && !found.only_asked.contains(name);
    if (!is_found_anyway) only_asked.insert(name);
  }
  return only_asked == found.only_asked;
}

}  // namespace stashscope
