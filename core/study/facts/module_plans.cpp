#include "core/study/facts/module_plans.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/graph/node_path.h"
#include "core/study/step/best_plans.h"

namespace stashscope {

namespace {

/// A model without numbered modules is cut off at this depth.
constexpr std::size_t plain_depth = 2;

std::string block_of(const Node& node) {
  std::vector<std::string> scope = path_of(node).scope;
  const auto numbered = std::find_if(scope.rbegin(), scope.rend(), [](const std::string& each) {
    return !series_stem(each).empty();
  });
  const auto depth = static_cast<std::size_t>(scope.rend() - numbered);
  scope.resize(std::min(scope.size(), depth == 0 ? plain_depth : depth + 1));
  return join(scope, ".");
}

std::set<NodeId> recomputed_nodes(const Study& study) {
  std::set<NodeId> nodes;
  for (const NodePlan* const plan : study.applied) {
    if (in_reference(plan->type)) nodes.insert(plan->node);
  }
  return nodes;
}

}  // namespace

std::vector<ModulePlans> module_plans(const Study& study) {
  const std::set<NodeId> recomputed = recomputed_nodes(study);
  std::map<std::string, ModulePlans> modules;
  for (const auto& [node, place] : best_plans(study)) {
    const std::string name = block_of(study.graph().node(node));
    if (name.empty()) continue;
    ModulePlans& module = modules[name];
    module.module = name;
    ++module.plans;
    module.on += recomputed.contains(node) ? 1 : 0;
    module.saving_bytes += place.occurrence->saving_bytes;
  }
  std::vector<ModulePlans> rows;
  rows.reserve(modules.size());
  for (auto& [name, module] : modules) rows.push_back(std::move(module));
  std::ranges::stable_sort(rows, std::greater(), &ModulePlans::saving_bytes);
  return rows;
}

}  // namespace stashscope
