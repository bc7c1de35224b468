#include "core/study/facts/exported_config.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/study/choices/node_names.h"
#include "core/study/step/planned_step.h"

namespace stashscope {

namespace {

using Keys = std::set<std::pair<std::string, PlanType>>;

Keys keys_of(const std::vector<NodePlan>& plans) {
  Keys keys;
  for (const NodePlan& plan : plans) keys.emplace(plan.cluster, plan.type);
  return keys;
}

/// The clusters and plan types that are found with ONNX Runtime's own table of operators.
Keys reference_keys(const Study& study) {
  const RecomputeSearchOptions probe = effective_search_options(study.choices.plans);
  const PreparedStep& prepared = *study.prepared;
  return keys_of(find_opportunities(study.graph(), prepared.ops, prepared.step.boundary,
                                    RecomputeSearchOptions(probe.level, probe.layer_boundary))
                     .plans);
}

/// Removes and returns the entries of `config` that only the widened table finds.
RecomputeConfig take_widened(const Study& study, RecomputeConfig& config) {
  RecomputeConfig widened;
  const RecomputeSearchOptions& probe = study.choices.plans.search;
  if (!probe.newer_versions && probe.also_recomputable.empty()) return widened;
  const Keys found = keys_of(study.opportunities->plans);
  const Keys known = reference_keys(study);
  for (const auto& [cluster, choice] : config) {
    const std::pair key(cluster, choice.type);
    if (found.contains(key) && !known.contains(key)) widened.emplace(cluster, choice);
  }
  for (const auto& [cluster, choice] : widened) config.erase(cluster);
  return widened;
}

/// Shortens counts so that they leave out pinned nodes after the last recomputed node. A count
/// cannot leave out pinned nodes before a recomputed node; returns the names of these nodes.
std::set<std::string> count_without_pinned(const Study& study, RecomputeConfig& config) {
  std::set<std::string> others;
  if (study.pinned.empty()) return others;
  const NodeNames names(study.graph());
  const std::set<const NodePlan*> applied(study.applied.begin(), study.applied.end());
  for (auto& [cluster, choice] : config) {
    std::vector<const NodePlan*> counted = plans_of(*study.opportunities, cluster, choice.type);
    std::erase_if(counted, [&](const NodePlan* each) {
      return !applied.contains(each) && !is_pinned(study.pinned, each->node);
    });
    const auto most = choice.count < 0 ? counted.size() : static_cast<std::size_t>(choice.count);
    counted.resize(std::min(counted.size(), most));
    const std::size_t before = counted.size();
    while (!counted.empty() && is_pinned(study.pinned, counted.back()->node)) counted.pop_back();
    if (counted.size() < before) choice.count = static_cast<int>(counted.size());
    for (const NodePlan* const plan : counted) {
      if (is_pinned(study.pinned, plan->node)) others.insert(names.of(plan->node));
    }
  }
  return others;
}

}  // namespace

ExportedConfig exported_config(const Study& study) {
  ExportedConfig exported{reference_part(study.config), {}};
  const RecomputeConfig unknown = own_part(study.config);
  const RecomputeConfig widened = take_widened(study, exported.config);
  const std::set<std::string> rerun = count_without_pinned(study, exported.config);
  if (!unknown.empty()) {
    exported.left_out.push_back("plans that ONNX Runtime does not know are left out: " +
                                printable(to_string(unknown)));
  }
  if (is_planned(study)) {
    exported.left_out.emplace_back(
        "a planned sequence runs single nodes again, and a config string cannot express that: save "
        "the model instead, or plan with --grain cluster");
  }
  if (!widened.empty()) {
    exported.left_out.push_back(
        "plans of operators that are not in ONNX Runtime's table are left out: " +
        printable(to_string(widened)));
  }
  if (!rerun.empty()) {
    exported.left_out.push_back(
        "ONNX Runtime recomputes these pinned nodes anyway, because a config string selects the "
        "first N occurrences (save the model instead): " +
        printable(join({rerun.begin(), rerun.end()}, ", ")));
  }
  return exported;
}

std::string environment_block(const Study& study) {
  const ExportedConfig exported = exported_config(study);
  return environment_block(exported.config, effective_search_options(study.choices.plans),
                           exported.left_out);
}

}  // namespace stashscope
