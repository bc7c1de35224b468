#include "core/study/edits/node_edits.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/study/edits/edits.h"
#include "core/study/step/best_plans.h"

namespace stashscope {

namespace {

std::set<NodeId> originals(const Study& study, std::span<const NodeId> nodes) {
  std::set<NodeId> found;
  for (const NodeId node : nodes) found.insert(study.current->dataflow.origin(node));
  return found;
}

/// The rows with the best plans of `nodes`, and the nodes of each row.
std::map<const PlanRow*, std::set<NodeId>> best_rows(const Study& study,
                                                     const std::set<NodeId>& nodes) {
  std::map<const PlanRow*, std::set<NodeId>> rows;
  for (const auto& [node, place] : best_plans(study)) {
    if (nodes.contains(node)) rows[place.row].insert(node);
  }
  return rows;
}

}  // namespace

PlannedNodes planned_nodes(const Study& study, std::span<const NodeId> nodes) {
  const std::set<NodeId> wanted = originals(study, nodes);
  std::set<NodeId> planned;
  std::set<NodeId> on;
  for (const auto& [node, place] : best_plans(study)) {
    if (wanted.contains(node)) planned.insert(node);
  }
  for (const NodePlan* const plan : study.applied) {
    if (is_searched(plan->type)) on.insert(plan->node);
  }
  PlannedNodes sorted;
  for (const NodeId node : planned) {
    if (on.contains(node)) {
      sorted.on.push_back(node);
      continue;
    }
    sorted.off.push_back(node);
    if (is_pinned(study.pinned, node)) sorted.pinned.push_back(node);
  }
  return sorted;
}

Choices with_nodes_recomputed(const Study& study, Choices choices, std::span<const NodeId> nodes,
                              bool on) {
  const PlannedNodes planned = planned_nodes(study, nodes);
  std::vector<PlanSwitch> switches;
  if (on) {
    const std::set<NodeId> off(planned.off.begin(), planned.off.end());
    for (auto& [row, starts] : best_rows(study, off)) switches.push_back({row, std::move(starts)});
  } else {
    const std::set<NodeId> recomputed(planned.on.begin(), planned.on.end());
    for (const PlanRow& row : study.plan_table->plans) {
      if (row.on) switches.push_back({&row, recomputed});
    }
  }
  return with_plans(study, std::move(choices), switches, on);
}

}  // namespace stashscope
