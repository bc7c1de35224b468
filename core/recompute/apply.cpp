#include "core/recompute/apply.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/recompute/dataflow_builder.h"
#include "core/recompute/strategy.h"

namespace stashscope {

namespace {

using Selection = std::vector<const NodePlan*>;

bool have_common(const std::vector<NodeId>& a, const std::vector<NodeId>& b) {
  return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

bool contains(const std::vector<NodeId>& nodes, NodeId node) {
  return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
}

/// What is put away would be brought back for nobody: `again` makes a view of it from its own copy.
bool makes_view_again(const NodePlan& again, const NodePlan& away) {
  return contains(again.subgraph, away.node) && have_common(again.subgraph, away.subgraph);
}

/// Chosen plans in execution order, by the rules of `select_plans`.
class PlanSelector {
 public:
  PlanSelector(const Opportunities& opportunities, const RecomputeConfig& config)
      : opportunities_(opportunities), config_(config) {}

  void add(const std::vector<NodePlan>& plans) {
    Selection ordered;
    for (const NodePlan& plan : plans) {
      if (is_chosen(plan)) ordered.push_back(&plan);
    }
    sort(ordered);
    for (const NodePlan* const plan : ordered) add(*plan);
  }

  Selection take() {
    sort(selected_);
    return std::move(selected_);
  }

 private:
  bool is_chosen(const NodePlan& plan) const {
    const auto choice = config_.find(plan.cluster);
    return choice != config_.end() && choice->second.type == plan.type;
  }

  void sort(Selection& plans) const {
    const auto& position = opportunities_.position;
    std::stable_sort(plans.begin(), plans.end(), [&](const NodePlan* a, const NodePlan* b) {
      return position[a->node.index()] < position[b->node.index()];
    });
  }

  void add(const NodePlan& plan) {
    const int limit = config_.at(plan.cluster).count;
    if ((limit >= 0 && taken_[plan.cluster] >= limit) || is_excluded(plan)) return;
    ++taken_[plan.cluster];
    selected_.push_back(&plan);
    users_[plan.node].push_back(&plan);
    if (!in_reference(plan.type)) return;
    for (const NodeId node : plan.subgraph) {
      if (node != plan.node) users_[node].push_back(&plan);
    }
  }

  bool is_excluded(const NodePlan& plan) const {
    const auto users = users_.find(plan.node);
    return users != users_.end() &&
           std::any_of(users->second.begin(), users->second.end(),
                       [&](const NodePlan* other) { return exclude_each_other(plan, *other); });
  }

  const Opportunities& opportunities_;
  const RecomputeConfig& config_;
  std::map<std::string, int> taken_;
  Selection selected_;
  std::unordered_map<NodeId, Selection> users_;  // by node that they treat or run again
};

/// Entries with a plan of a type.
std::set<NodeId> nodes_with(const Opportunities& opportunities, PlanType type) {
  std::set<NodeId> nodes;
  for (const NodePlan& plan : opportunities.plans) {
    if (plan.type == type) nodes.insert(plan.node);
  }
  return nodes;
}

}  // namespace

bool exclude_each_other(const NodePlan& a, const NodePlan& b) {
  if (a.node == b.node) {
    return a.type != b.type ||
           std::find_first_of(a.outputs.begin(), a.outputs.end(), b.outputs.begin(),
                              b.outputs.end()) != a.outputs.end();
  }
  if (in_reference(a.type) == in_reference(b.type)) return false;
  return in_reference(a.type) ? makes_view_again(a, b) : makes_view_again(b, a);
}

std::vector<const NodePlan*> select_plans(const Opportunities& opportunities,
                                          const RecomputeConfig& config) {
  PlanSelector selector(opportunities, config);
  selector.add(opportunities.plans);
  selector.add(opportunities.extensions);
  return selector.take();
}

PlanCounts count_plans(const std::vector<const NodePlan*>& plans) {
  PlanCounts counts;
  for (const NodePlan* const plan : plans) ++counts[{plan->cluster, plan->type}];
  return counts;
}

RecomputeConfig config_of_all(const Opportunities& opportunities, bool with_compromise) {
  RecomputeConfig config;
  for (const NodePlan& plan : opportunities.plans) {
    if (plan.type == PlanType::recompute) config[plan.cluster] = {PlanType::recompute, -1};
  }
  if (!with_compromise) return config;
  const std::set<NodeId> recomputed = nodes_with(opportunities, PlanType::recompute);
  for (const NodePlan& plan : opportunities.plans) {
    if (!recomputed.contains(plan.node)) {
      config.try_emplace(plan.cluster, ClusterChoice{plan.type, -1});
    }
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
