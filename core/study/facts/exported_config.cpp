#include "core/study/facts/exported_config.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/study/choices/node_names.h"
#include "core/study/step/planned_step.h"

namespace stashscope {

namespace {

/// Number of occurrences by cluster and plan type.
using Frequencies = std::map<std::pair<std::string, PlanType>, int>;

Frequencies frequencies_of(const std::vector<NodePlan>& plans) {
  Frequencies frequencies;
  for (const NodePlan& plan : plans) ++frequencies[{plan.cluster, plan.type}];
  return frequencies;
}

const ReferenceRules& reference_of(const Study& study) {
  return rules_of(study.choices.plans.search.reference);
}

/// Whether a level alone says what is exported.
bool exports_level(const Study& study) {
  const PlanChoices& plans = study.choices.plans;
  return reference_of(study).reads_config_file && plans.level > 0 && plans.pinned.empty();
}

/// The search that ONNX Runtime makes when it reads the exported config.
RecomputeSearchOptions reference_search(const Study& study) {
  RecomputeSearchOptions search = effective_search_options(study.choices.plans);
  search.newer_versions = false;
  search.also_recomputable.clear();
  if (reference_of(study).reads_config_file && !exports_level(study)) {
    search.level = 1;
    search.layer_boundary = false;
  }
  return search;
}

/// The plans that ONNX Runtime finds when it reads the exported config.
Frequencies reference_frequencies(const Study& study) {
  const RecomputeSearchOptions search = reference_search(study);
  if (search == effective_search_options(study.choices.plans)) {
    return frequencies_of(study.opportunities->plans);
  }
  const PreparedStep& prepared = *study.prepared;
  return frequencies_of(
      find_opportunities(study.graph(), prepared.ops, prepared.step.boundary, search).plans);
}

/// Removes and returns the entries of `config` that only this study's search finds.
RecomputeConfig take_unknown(const Study& study, const Frequencies& known,
                             RecomputeConfig& config) {
  RecomputeConfig unknown;
  const Frequencies found = frequencies_of(study.opportunities->plans);
  for (const auto& [cluster, choice] : config) {
    const std::pair key(cluster, choice.type);
    if (found.contains(key) && !known.contains(key)) unknown.emplace(cluster, choice);
  }
  for (const auto& [cluster, choice] : unknown) config.erase(cluster);
  return unknown;
}

/// One clause for each entry of which ONNX Runtime recomputes more occurrences than the study.
void add_ignored_counts(const Study& study, const Frequencies& known, ExportedConfig& exported) {
  const PlanCounts applied = count_plans(study.applied);
  for (const auto& [cluster, choice] : exported.config) {
    const std::pair key(cluster, choice.type);
    const auto frequency = known.find(key);
    const auto chosen = applied.find(key);
    const int count = chosen == applied.end() ? 0 : chosen->second;
    if (frequency == known.end() || frequency->second <= count) continue;
    exported.left_out.push_back(
        "ONNX Runtime " + std::string(reference_of(study).name) +
        " ignores counts: it recomputes " + std::to_string(frequency->second) + " occurrences of " +
        printable(cluster) + " instead of " + std::to_string(count) + " (save the model instead)");
  }
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
  const Frequencies known = reference_frequencies(study);
  const RecomputeConfig widened = take_unknown(study, known, exported.config);
  const bool ignores_counts = reference_of(study).ignores_counts;
  const std::set<std::string> rerun =
      ignores_counts ? std::set<std::string>() : count_without_pinned(study, exported.config);
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
        "plans that ONNX Runtime does not find with its own table and probe " +
        to_string(reference_search(study)) + " are left out: " + printable(to_string(widened)));
  }
  if (ignores_counts) add_ignored_counts(study, known, exported);
  if (!rerun.empty()) {
    exported.left_out.push_back(
        "ONNX Runtime recomputes these pinned nodes anyway, because a config string selects the "
        "first N occurrences (save the model instead): " +
        printable(join({rerun.begin(), rerun.end()}, ", ")));
  }
  return exported;
}

std::string config_text(const Study& study, const RecomputeConfig& config) {
  return reference_of(study).reads_config_file ? config_list(config) : to_string(config);
}

ExportedEnvironment exported_environment(const Study& study, const std::string& config_path) {
  const PlanChoices& plans = study.choices.plans;
  const auto [config, left_out] = exported_config(study);
  if (!reference_of(study).reads_config_file) {
    return {environment_block(config, effective_search_options(plans), left_out), {}};
  }
  if (exports_level(study)) return {environment_block(plans.level, left_out), {}};
  return {environment_block(config_path, left_out), config_list(config) + "\n"};
}

void export_environment(const Study& study, const std::string& path) {
  const std::string config_path = config_file_beside(path);
  const auto [block, config_file] =
      exported_environment(study, std::filesystem::absolute(config_path).string());
  if (!config_file.empty()) write_file_atomically(config_path, config_file);
  write_file_atomically(path, block);
}

std::string config_file_beside(const std::string& path) { return path + ".json"; }

}  // namespace stashscope
