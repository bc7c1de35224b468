#include "core/study/plans_in_force.h"

namespace stashscope {

RecomputeConfig config_in_force(const Graph& graph, const Choices& choices,
                                const Opportunities& opportunities) {
  RecomputeConfig chosen = without_operators(graph, opportunities, choices.plans);
  if (choices.level == 0) return chosen;
  RecomputeConfig config = config_of_all(opportunities, choices.level == 2);
  for (const auto& [cluster, choice] : chosen) config[cluster] = choice;
  return config;
}

KeptNames::KeptNames(const Graph& graph) : graph_(graph) {
  uses_.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) ++uses_[node.name];
}

const std::string& KeptNames::of(NodeId node) const {
  const Node& named = graph_.node(node);
  const bool is_clear = !named.name.empty() && uses_.at(named.name) == 1;
  for (const ValueId output : named.outputs) {
    if (!is_clear && output.valid()) return graph_.value(output).name;
  }
  return named.name;
}

template <class Visit>
void KeptNames::visit_names(NodeId node, Visit visit) const {
  const std::string& own = graph_.node(node).name;
  if (!own.empty()) visit(own);
  if (const std::string& name = of(node); name != own) visit(name);
}

KeptNodes KeptNames::nodes(const std::set<std::string>& names) const {
  KeptNodes kept(graph_.nodes().size(), false);
  for (const NodeId node : IdRange<NodeId>(kept.size())) {
    visit_names(node, [&](const std::string& name) {
      if (names.contains(name)) kept[node] = true;
    });
  }
  return kept;
}

std::vector<std::string> KeptNames::unknown(const std::set<std::string>& names) const {
  std::set<std::string> unknown = names;
  for (const NodeId node : IdRange<NodeId>(graph_.nodes().size())) {
    visit_names(node, [&](const std::string& name) { unknown.erase(name); });
  }
  return {unknown.begin(), unknown.end()};
}

}  // namespace stashscope
