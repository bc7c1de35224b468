#include "core/recompute/apply.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/recompute/dataflow_builder.h"
#include "core/recompute/region_clusters.h"
#include "core/recompute/regions.h"
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

/// Whether the recompute plan `again` also makes a view of the tensor that `away` evicts. The
/// restored tensor would then have no reader, because the view comes from the recomputed copy.
bool makes_view_again(const NodePlan& again, const NodePlan& away) {
  return contains(again.subgraph, away.node) && have_common(again.subgraph, away.subgraph);
}

/// Selects the plans that a config chooses, in execution order and by the rules of `select_plans`.
class PlanSelector {
 public:
  PlanSelector(const Opportunities& opportunities, const RecomputeConfig& config,
               const PinnedNodes& pinned)
      : position_(opportunities.position),
        pinned_(pinned),
        choices_(opportunities.clusters.size(), nullptr),
        taken_(opportunities.clusters.size(), 0),
        last_use_(opportunities.position.size(), no_use) {
    for (const ClusterId cluster : IdRange<ClusterId>(choices_.size())) {
      const auto choice = config.find(opportunities.clusters[cluster]);
      if (choice != config.end()) choices_[cluster] = &choice->second;
    }
  }

  void add(const std::vector<NodePlan>& plans) {
    Selection ordered;
    for (const NodePlan& plan : plans) {
      const ClusterChoice* const choice = choices_[plan.cluster_id];
      if (choice != nullptr && choice->type == plan.type) ordered.push_back(&plan);
    }
    sort(ordered);
    for (const NodePlan* const plan : ordered) add(*plan);
  }

  Selection take() {
    sort(selected_);
    return std::move(selected_);
  }

 private:
  static constexpr std::uint32_t no_use = std::numeric_limits<std::uint32_t>::max();

  /// A use of a node by a selected plan. The node is the entry of the plan or a node that the plan
  /// clones.
  struct Use {
    const NodePlan* plan;
    std::uint32_t before;  ///< the previous use of the same node
  };

  void sort(Selection& plans) const {
    const auto runs_before = [&](const NodePlan* a, const NodePlan* b) {
      return position_[a->node.index()] < position_[b->node.index()];
    };
    if (!std::ranges::is_sorted(plans, runs_before)) std::ranges::stable_sort(plans, runs_before);
  }

  void add(const NodePlan& plan) {
    const int limit = choices_[plan.cluster_id]->count;
    int& taken = taken_[plan.cluster_id];
    if ((limit >= 0 && taken >= limit) || is_excluded(plan)) return;
    ++taken;
    if (is_pinned(pinned_, plan.node)) return;
    selected_.push_back(&plan);
    add_use(plan.node, plan);
    if (!is_searched(plan.type)) return;
    for (const NodeId node : plan.subgraph) {
      if (node != plan.node) add_use(node, plan);
    }
  }

  void add_use(NodeId node, const NodePlan& plan) {
    uses_.push_back({&plan, last_use_[node]});
    last_use_[node] = static_cast<std::uint32_t>(uses_.size() - 1);
  }

  bool is_excluded(const NodePlan& plan) const {
    if (plan.region) {
      return std::ranges::any_of(
          selected_, [&](const NodePlan* other) { return exclude_each_other(plan, *other); });
    }
    for (auto use = last_use_[plan.node]; use != no_use; use = uses_[use].before) {
      if (exclude_each_other(plan, *uses_[use].plan)) return true;
    }
    return false;
  }

  const std::vector<std::size_t>& position_;
  const PinnedNodes& pinned_;
  IdVector<ClusterId, const ClusterChoice*> choices_;  ///< null: not selected
  IdVector<ClusterId, int> taken_;
  Selection selected_;
  std::vector<Use> uses_;
  IdVector<NodeId, std::uint32_t> last_use_;
};

/// The entry nodes that have a plan of this type.
std::set<NodeId> nodes_with(const Opportunities& opportunities, PlanType type) {
  std::set<NodeId> nodes;
  for (const NodePlan& plan : opportunities.plans) {
    if (plan.type == type) nodes.insert(plan.node);
  }
  return nodes;
}

}  // namespace

bool exclude_each_other(const NodePlan& a, const NodePlan& b) {
  if (a.region && b.region) return overlap(*a.region, *b.region);
  if (a.node == b.node) {
    return a.type != b.type ||
           std::find_first_of(a.outputs.begin(), a.outputs.end(), b.outputs.begin(),
                              b.outputs.end()) != a.outputs.end();
  }
  if (in_reference(a.type) == in_reference(b.type)) return false;
  return in_reference(a.type) ? makes_view_again(a, b) : makes_view_again(b, a);
}

std::vector<const NodePlan*> plans_of(const Opportunities& opportunities,
                                      const std::string& cluster, PlanType type) {
  std::vector<const NodePlan*> plans;
  for (const NodePlan& plan : is_searched(type) ? opportunities.plans : opportunities.extensions) {
    if (plan.type == type && plan.cluster == cluster) plans.push_back(&plan);
  }
  std::ranges::stable_sort(
      plans, {}, [&](const NodePlan* each) { return opportunities.position[each->node.index()]; });
  return plans;
}

std::vector<const NodePlan*> select_plans(const Opportunities& opportunities,
                                          const RecomputeConfig& config,
                                          const PinnedNodes& pinned) {
  PlanSelector selector(opportunities, config, pinned);
  selector.add(opportunities.plans);
  selector.add(opportunities.extensions);
  return selector.take();
}

PlanCounts count_plans(const std::vector<const NodePlan*>& plans) {
  PlanCounts counts;
  for (const NodePlan* const plan : plans) ++counts[{plan->cluster, plan->type}];
  return counts;
}

namespace {

/// Selects clusters of regions one after the other, and leaves out a cluster that conflicts with
/// one selected before. Clusters with several regions come before clusters with one region; within
/// these two groups, clusters that free more values come first.
RecomputeConfig config_of_regions(const Opportunities& opportunities) {
  std::map<std::string, std::vector<const NodePlan*>> clusters;
  for (const NodePlan& plan : opportunities.plans) {
    if (plan.region && plan.region->kept.empty()) clusters[plan.cluster].push_back(&plan);
  }
  const auto freed = [](const auto& each) {
    std::size_t values = 0;
    for (const NodePlan* const plan : each.second) values += plan->region->freed.size();
    return values;
  };
  std::vector<std::pair<std::string, std::vector<const NodePlan*>>> sorted(clusters.begin(),
                                                                           clusters.end());
  std::ranges::stable_sort(sorted, [&](const auto& a, const auto& b) {
    const bool a_repeats = a.second.size() > 1;
    const bool b_repeats = b.second.size() > 1;
    return a_repeats != b_repeats ? a_repeats : freed(a) > freed(b);
  });
  RecomputeConfig config;
  Selection taken;
  for (const auto& [cluster, plans] : sorted) {
    const bool is_free = std::ranges::none_of(plans, [&](const NodePlan* plan) {
      return std::ranges::any_of(
          taken, [&](const NodePlan* other) { return exclude_each_other(*plan, *other); });
    });
    if (!is_free) continue;
    config[cluster] = {PlanType::region, -1};
    taken.insert(taken.end(), plans.begin(), plans.end());
  }
  return config;
}

}  // namespace

RecomputeConfig config_of_all(const Opportunities& opportunities, bool with_compromise) {
  RecomputeConfig config = config_of_regions(opportunities);
  for (const NodePlan& plan : opportunities.plans) {
    if (plan.type == PlanType::recompute) config[plan.cluster] = {PlanType::recompute, -1};
  }
  if (!with_compromise) return config;
  const std::set<NodeId> recomputed = nodes_with(opportunities, PlanType::recompute);
  for (const NodePlan& plan : opportunities.plans) {
    if (!plan.region && !recomputed.contains(plan.node)) {
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
  if (graph.data().captured) return with_regions(graph, plans);
  DataflowBuilder builder(graph, ops, opportunities);
  for (auto plan = plans.rbegin(); plan != plans.rend(); ++plan) {
    strategy_of((*plan)->type).apply(**plan, builder);
  }
  return builder.finish();
}

}  // namespace stashscope
