#include "core/study/exported_config.h"

#include <set>

#include "core/base/error.h"
#include "core/study/planned_step.h"

namespace stashscope {

namespace {

using Keys = std::set<std::pair<std::string, PlanType>>;

Keys keys_of(const std::vector<NodePlan>& plans) {
  Keys keys;
  for (const NodePlan& plan : plans) keys.emplace(plan.cluster, plan.type);
  return keys;
}

/// What is found with the reference's own table of operators.
Keys reference_keys(const Study& study) {
  const Probe probe = effective_probe(study.choices);
  const Prepared& prepared = *study.prepared;
  return keys_of(find_opportunities(study.graph(), prepared.ops, prepared.step.boundary,
                                    Probe(probe.level, probe.layer_boundary))
                     .plans);
}

/// Takes the entries out of `config` that only the widened table finds.
RecomputeConfig take_widened(const Study& study, RecomputeConfig& config) {
  RecomputeConfig widened;
  const Probe& probe = study.choices.probe;
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

}  // namespace

ExportedConfig exported_config(const Study& study) {
  ExportedConfig exported{reference_part(study.config), {}};
  const RecomputeConfig unknown = own_part(study.config);
  const RecomputeConfig widened = take_widened(study, exported.config);
  if (!unknown.empty()) {
    exported.left_out.push_back("not known to ONNX Runtime, left out: " +
                                printable(to_string(unknown)));
  }
  if (is_planned(study)) {
    exported.left_out.emplace_back(
        "a planned sequence runs single nodes again, which no config string can say: save the "
        "model instead, or plan with --grain cluster");
  }
  if (!widened.empty()) {
    exported.left_out.push_back(
        "found only with operators that are not in ONNX Runtime's table, left out: " +
        printable(to_string(widened)));
  }
  return exported;
}

std::string environment_block(const Study& study) {
  const ExportedConfig exported = exported_config(study);
  return environment_block(exported.config, effective_probe(study.choices), exported.left_out);
}

}  // namespace stashscope
