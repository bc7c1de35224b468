#include "core/recompute/apply.h"

#include <algorithm>

#include "core/recompute/dataflow_builder.h"
#include "core/recompute/strategy.h"

namespace stashscope {

std::vector<const NodePlan*> select_plans(const Opportunities& opportunities,
                                          const RecomputeConfig& config) {
  std::vector<const NodePlan*> ordered;
  for (const NodePlan& plan : opportunities.plans) ordered.push_back(&plan);
  for (const NodePlan& plan : opportunities.extensions) ordered.push_back(&plan);
  std::stable_sort(ordered.begin(), ordered.end(), [&](const NodePlan* a, const NodePlan* b) {
    return opportunities.position[a->node.index()] < opportunities.position[b->node.index()];
  });
  std::map<std::string, int> taken;
  std::vector<const NodePlan*> selected;
  for (const NodePlan* const plan : ordered) {
    const auto choice = config.find(plan->cluster);
    if (choice == config.end() || choice->second.type != plan->type) continue;
    const int limit = choice->second.count;
    if (limit >= 0 && taken[plan->cluster] >= limit) continue;
    // Two options of one node exclude each other; the one that execution order lists first wins.
    if (!selected.empty() && selected.back()->node == plan->node) continue;
    ++taken[plan->cluster];
    selected.push_back(plan);
  }
  return selected;
}

RecomputeConfig config_of_all(const Opportunities& opportunities, bool with_compromise) {
  RecomputeConfig config;
  for (const NodePlan& plan : opportunities.plans) {
    if (plan.type == PlanType::recompute) config[plan.cluster] = {PlanType::recompute, -1};
  }
  if (!with_compromise) return config;
  for (const NodePlan& plan : opportunities.plans) {
    config.try_emplace(plan.cluster, ClusterChoice{plan.type, -1});
  }
  return config;
}

RecomputeConfig without_operators(const Graph& graph, const Opportunities& opportunities,
                                  const RecomputeConfig& config) {
  RecomputeConfig expanded;
  for (const auto& [key, choice] : config) {
    bool any = false;
    for (const NodePlan& plan : opportunities.plans) {
      const bool meant = choice.of_operator && graph.node(plan.node).op_type == key &&
                         (choice.type == PlanType::none || plan.type == choice.type);
      any = any || meant;
      if (meant && !config.contains(plan.cluster)) {
        expanded[plan.cluster] = {choice.type, choice.type == PlanType::none ? 0 : -1};
      }
    }
    if (!any) expanded[key] = choice;
  }
  return expanded;
}

Dataflow apply_plans(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                     const Opportunities& opportunities,
                     const std::vector<const NodePlan*>& plans) {
  DataflowBuilder builder(graph, ops, opportunities);
  for (auto plan = plans.rbegin(); plan != plans.rend(); ++plan) {
    strategy_of((*plan)->type).apply(**plan, builder);
  }
  return builder.finish();
}

}  // namespace stashscope
