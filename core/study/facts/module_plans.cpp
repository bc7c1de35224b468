#include "core/study/facts/module_plans.h"

#include <algorithm>
#include <set>

#include "core/graph/node_path.h"
#include "core/study/step/best_plans.h"

namespace stashscope {

namespace {

std::set<NodeId> recomputed_nodes(const Study& study) {
  std::set<NodeId> nodes;
  for (const NodePlan* const plan : study.applied) {
    if (is_searched(plan->type)) nodes.insert(plan->node);
  }
  return nodes;
}

}  // namespace

std::vector<ModulePlans> module_plans(const Study& study) {
  const std::set<NodeId> recomputed = recomputed_nodes(study);
  std::map<std::string, ModulePlans> modules;
  for (const auto& [node, place] : best_plans(study)) {
    const std::string name = block_of(path_of(study.graph().node(node)).scope);
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
