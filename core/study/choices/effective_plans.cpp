#include "core/study/choices/effective_plans.h"

namespace stashscope {

RecomputeConfig config_in_force(const Graph& graph, const PlanChoices& choices,
                                const Opportunities& opportunities) {
  RecomputeConfig chosen = without_operators(graph, opportunities, choices.config);
  if (choices.level == 0) return chosen;
  RecomputeConfig config = config_of_all(opportunities, choices.level == 2);
  for (const auto& [cluster, choice] : chosen) config[cluster] = choice;
  return config;
}

PinnedNodes pinned_nodes(const NodeNames& names, const std::set<std::string>& pinned) {
  PinnedNodes nodes(names.size(), false);
  for (const std::string& name : pinned) {
    for (const NodeId node : names.all(name)) nodes[node] = true;
  }
  return nodes;
}

}  // namespace stashscope
