#include "core/study/facts/exported_config.h"

#include <algorithm>
#include <set>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/study/choices/node_names.h"
#include "core/study/step/planned_step.h"

namespace stashscope {

namespace {

const ReferenceRules& reference_of(const Study& study) {
  return rules_of(study.choices.plans.search.reference);
}

/// Whether a level alone makes ONNX Runtime apply the study's plans.
bool is_plain_level(const Study& study) {
  const PlanChoices& plans = study.choices.plans;
  const bool is_widened = plans.search.newer_versions || !plans.search.also_recomputable.empty();
  return reference_of(study).reads_config_file && plans.level > 0 && plans.pinned.empty() &&
         !plans.sequence && !is_widened &&
         study.config == config_of_all(*study.opportunities, plans.level == 2);
}

/// The options of the search that ONNX Runtime runs when it reads an exported config.
RecomputeSearchOptions reference_search(const Study& study) {
  RecomputeSearchOptions search = effective_search_options(study.choices.plans);
  search.newer_versions = false;
  search.also_recomputable.clear();
  if (reference_of(study).reads_config_file) {
    search.level = 1;
    search.layer_boundary = false;
  }
  return search;
}

/// The plans that ONNX Runtime finds when it reads an exported config.
std::shared_ptr<const Opportunities> reference_opportunities(const Study& study) {
  const RecomputeSearchOptions search = reference_search(study);
  if (search == effective_search_options(study.choices.plans)) return study.opportunities;
  const PreparedStep& prepared = *study.prepared;
  return std::make_shared<const Opportunities>(
      find_opportunities(study.graph(), prepared.ops, prepared.step.boundary, search));
}

using Keys = std::set<std::pair<std::string, PlanType>>;

Keys keys_of(const Opportunities& opportunities) {
  Keys keys;
  for (const NodePlan& plan : opportunities.plans) keys.emplace(plan.cluster, plan.type);
  return keys;
}

/// Removes from `config` the entries that this study's search finds but the search of ONNX Runtime
/// does not find. Returns the removed entries.
RecomputeConfig take_unknown(const Study& study, const Opportunities& known,
                             RecomputeConfig& config) {
  RecomputeConfig unknown;
  const Keys found = keys_of(*study.opportunities);
  const Keys readable = keys_of(known);
  for (const auto& [cluster, choice] : config) {
    const std::pair key(cluster, choice.type);
    if (found.contains(key) && !readable.contains(key)) unknown.emplace(cluster, choice);
  }
  for (const auto& [cluster, choice] : unknown) config.erase(cluster);
  return unknown;
}

/// The part of a config that ONNX Runtime can read, and why the rest is left out.
ExportedConfig readable_part(const Study& study, const Opportunities& known,
                             const RecomputeConfig& config) {
  ExportedConfig exported{reference_part(config), {}};
  const RecomputeConfig own = own_part(config);
  if (!own.empty()) {
    exported.left_out.push_back("plans that ONNX Runtime does not know are left out: " +
                                printable(to_string(own)));
  }
  const RecomputeConfig unknown = take_unknown(study, known, exported.config);
  if (!unknown.empty()) {
    exported.left_out.push_back(
        "ONNX Runtime finds plans with its own table of recomputable operators and with "
        "the probe " +
        to_string(reference_search(study)) +
        "; plans that it does not find are left out: " + printable(to_string(unknown)));
  }
  return exported;
}

/// For versions of ONNX Runtime that ignore counts: drops entries that are off. `left_out` gets a
/// clause for each entry that ONNX Runtime recomputes at more occurrences than the study.
void ignore_counts(const Study& study, const Opportunities& known, ExportedConfig& exported) {
  std::erase_if(exported.config, [](const auto& entry) {
    return entry.second.type == PlanType::none || entry.second.count == 0;
  });
  RecomputeConfig uncounted = exported.config;
  for (auto& [cluster, choice] : uncounted) choice.count = -1;
  PlanCounts ours = count_plans(study.applied);
  for (const auto& [key, count] : count_plans(select_plans(known, uncounted))) {
    if (count <= ours[key]) continue;
    const bool is_counted = exported.config[key.first].count >= 0 || !study.pinned.empty();
    exported.left_out.push_back(
        "ONNX Runtime " + std::string(reference_of(study).name) +
        (is_counted
             ? " ignores counts, so it"
             : " searches with the probe " + to_string(reference_search(study)) + ", so it") +
        " recomputes " + std::to_string(count) + " occurrences of " + printable(key.first) +
        " instead of " + std::to_string(ours[key]) + " (save the model instead)");
  }
}

/// Reduces counts so that they leave out pinned nodes after the last recomputed node. A count
/// cannot leave out pinned nodes before a recomputed node, so the function returns the names of
/// these nodes.
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

constexpr std::size_t most_named = 8;

/// Adds one clause if passes are on, and one if what-ifs change the model. Only the clause on
/// passes advises to save the model, because ONNX Runtime does not know all operators of what-ifs.
void add_model_changes(const Study& study, std::vector<std::string>& left_out) {
  const std::vector<std::string> titles = pass_titles(study.choices);
  if (!titles.empty()) {
    left_out.push_back(
        "passes change the model, and a config string cannot express that (save the model "
        "instead): " +
        join(titles, ", "));
  }
  const std::vector<std::string> what_ifs = titles_of_what_ifs(study);
  if (!what_ifs.empty()) {
    left_out.push_back("what-ifs change the model, and a config string cannot express that: " +
                       join(what_ifs, ", "));
  }
}

/// The choices with the plans that ONNX Runtime runs when it reads the exported config.
Choices choices_as_read(const Study& study) {
  Choices choices = study.choices;
  PlanChoices& plans = choices.plans;
  plans.config = exported_config(study).config;
  if (reference_of(study).ignores_counts) {
    for (auto& [cluster, choice] : plans.config) choice.count = -1;
  }
  plans.search = reference_search(study);
  plans.level = 0;
  plans.pinned.clear();
  return choices;
}

std::vector<std::string> printable_names(const std::set<std::string>& names) {
  std::vector<std::string> shown;
  shown.reserve(names.size());
  for (const std::string& name : names) shown.push_back(printable(name, 80));
  return shown;
}

}  // namespace

bool changes_model(const Study& study) {
  return !pass_titles(study.choices).empty() || !titles_of_what_ifs(study).empty();
}

ExportedConfig exported_config(const Study& study, const RecomputeConfig& config) {
  return readable_part(study, *reference_opportunities(study), config);
}

ExportedConfig exported_config(const Study& study) {
  const auto known = reference_opportunities(study);
  ExportedConfig exported = readable_part(study, *known, study.config);
  add_model_changes(study, exported.left_out);
  if (is_planned(study)) {
    exported.left_out.push_back(
        "a planned sequence runs single nodes again, and a config string cannot express that" +
        option_words({Advice::Action::plan_by_cluster}));
  }
  if (reference_of(study).ignores_counts) {
    ignore_counts(study, *known, exported);
    return exported;
  }
  const std::set<std::string> rerun = count_without_pinned(study, exported.config);
  if (!rerun.empty()) {
    exported.left_out.push_back(
        "ONNX Runtime also recomputes these pinned nodes, because a config string selects the "
        "first N occurrences (save the model instead): " +
        join_first(printable_names(rerun), most_named));
  }
  return exported;
}

std::optional<ExportedEffect> exported_effect(const Study& study, const Progress& progress) {
  const bool is_captured = study.graph().data().captured != nullptr;
  if (is_captured || is_planned(study) || is_plain_level(study)) return std::nullopt;
  // ONNX Runtime runs the model without them, so its peak is not the one computed below.
  if (changes_model(study)) return std::nullopt;
  const auto read = compute_study(study.model, choices_as_read(study), &study, progress);
  if (count_plans(read->applied) == count_plans(study.applied)) return std::nullopt;
  const ReferenceRules& rules = reference_of(study);
  return ExportedEffect{read->current->timeline.peak_bytes, extra_seconds(*read), rules.name,
                        rules.ignores_counts};
}

std::string config_text(const Study& study, const RecomputeConfig& config) {
  return reference_of(study).reads_config_file ? config_list(config) : to_string(config);
}

ExportedEnvironment exported_environment(const Study& study, const std::string& path) {
  const PlanChoices& plans = study.choices.plans;
  if (is_plain_level(study)) {
    std::vector<std::string> passes;
    add_model_changes(study, passes);
    return {environment_block(plans.level, passes), {}, passes, false};
  }
  auto [config, left_out] = exported_config(study);
  if (!reference_of(study).reads_config_file) {
    return {environment_block(config, effective_search_options(plans), left_out),
            {},
            left_out,
            config.empty()};
  }
  const std::string config_path = std::filesystem::absolute(config_file_beside(path)).string();
  return {environment_block(config_path, left_out), config_list(config) + "\n", left_out,
          config.empty()};
}

void write_environment(const ExportedEnvironment& exported, const std::string& path) {
  const std::string config_path = config_file_beside(path);
  if (!exported.config_file.empty()) {
    if (std::filesystem::exists(config_path) && !is_config_list(read_file(config_path))) {
      fail_input(printable(config_path), "exists and is not a list of config strings",
                 "move this file away, or export to a file with another name");
    }
    write_file_atomically(config_path, exported.config_file);
  }
  write_file_atomically(path, exported.block);
}

std::string config_file_beside(const std::string& path) { return path + ".json"; }

}  // namespace stashscope
