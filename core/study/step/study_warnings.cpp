#include "core/study/step/study_warnings.h"

#include <algorithm>

#include "core/base/advice.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/graph/captured_step.h"
#include "core/study/choices/dimension_uses.h"
#include "core/study/choices/host_limit.h"
#include "core/study/choices/node_names.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/moved_order.h"
#include "core/study/step/planned_step.h"

namespace stashscope {

namespace {

using Warnings = std::vector<std::string>;

void add_all(const Warnings& list, Warnings& warnings) {
  warnings.insert(warnings.end(), list.begin(), list.end());
}

void warn_of_sequence(const StudyParts& study, Warnings& warnings) {
  if (!study.choices.plans.sequence || is_planned(study)) return;
  warnings.push_back(
      "the planned sequence belongs to another step (passes or gradients differ) and is left out" +
      option_words({Advice::Action::plan_again}));
}

std::string warning_of(const Graph& graph, const Dimension& assumed) {
  const std::string word = word_of(unit_of(graph, assumed));
  const std::string name = word.empty() ? "dimension '" + printable(assumed.name) + "'"
                                        : word + " (" + printable(assumed.name) + ")";
  const std::string value = std::to_string(assumed.value);
  if (!assumed.at_most.empty()) {
    return name + " depends on the data; it is at most " + assumed.at_most +
           " and is assumed to be " + value;
  }
  const std::string is =
      assumed.as_captured ? " is " + value + ", as captured" : " is assumed to be " + value;
  return name + is + option_words({Advice::Action::set_dimension, "it"});
}

/// A hint on how to set the sizes that depend on data and have no bound; empty if there are none.
std::string hint_for_unknown_sizes(const StudyParts& study) {
  std::vector<std::string> names;
  for (const DataDependentDim& each : study.graph().data().data_dependent) {
    if (study.sizes->dims.bindings[each.symbol]) continue;
    names.push_back("'" + printable(study.graph().symbols().name(each.symbol), 60) + "'");
  }
  if (names.size() > 4) names.resize(4);
  if (names.empty()) return "";
  return option_words({Advice::Action::set_dimensions, join(names, ", ")});
}

void warn_of_sizes(const StudyParts& study, Warnings& warnings) {
  for (const Dimension& each : study.sizes->dims.dimensions) {
    if (each.assumed) warnings.push_back(warning_of(study.graph(), each));
  }
  const std::vector<ValueId>& unknown = study.sizes->unknown;
  if (unknown.empty()) return;
  warnings.push_back("the size of " + counted(unknown.size(), "tensor", "tensors") +
                     " is unknown and counts as 0 bytes; the first is " +
                     describe(study.graph().value(unknown.front())) +
                     hint_for_unknown_sizes(study));
}

void warn_of_boundary(const StudyParts& study, Warnings& warnings) {
  const TrainingStep& step = study.prepared->step;
  if (step.boundary.known() || step.parameters.empty()) return;
  warnings.emplace_back(
      "the model does not mark where its backward pass begins, so no recompute plans are listed");
}

/// Warns if stochastic rounding or master weights are chosen but change nothing.
void warn_of_rounding(const StudyParts& study, bool has_master, Warnings& warnings) {
  const UpdateChoice& update = study.choices.update;
  const Optimizer& optimizer = find_optimizer(update.optimizer);
  if (optimizer.rounds_stochastically) {
    const auto& parameters = study.prepared->step.parameters;
    const bool any = std::ranges::any_of(parameters, [&](const Parameter& each) {
      return each.gradient.valid() &&
             study.graph().value(each.value).type.element == ElementType::bfloat16;
    });
    if (!any) {
      warnings.emplace_back("no trained parameter is bfloat16, so none is rounded stochastically");
    }
    if (update.master_weights) {
      warnings.push_back("'" + update.optimizer +
                         "' rounds stochastically instead of keeping master weights, so none are "
                         "kept; for master weights, choose 'adamw'");
    }
  } else if (update.master_weights && !has_master) {
    warnings.push_back(
        optimizer.updates
            ? "no trained parameter is float16 or bfloat16, so no master weights are kept"
            : "only an optimizer keeps master weights" +
                  option_words({Advice::Action::choose_optimizer}));
  }
}

/// Warns of optimizer choices that change nothing, which are most likely a misunderstanding.
void warn_of_update(const StudyParts& study, Warnings& warnings) {
  const UpdateChoice& update = study.choices.update;
  const auto& buffers = study.baseline->timeline.buffers;
  const auto has_state = [&](auto is_wanted) {
    return std::any_of(buffers.begin(), buffers.end(),
                       [&](const Buffer& each) { return each.state && is_wanted(*each.state); });
  };
  const CapturedStep* const captured = study.graph().data().captured.get();
  if (captured != nullptr && captured->has_optimizer()) return;
  if (find_optimizer(update.optimizer).states != nullptr &&
      !has_state([](const OptimizerState&) { return true; })) {
    warnings.emplace_back("no parameter receives a gradient, so the optimizer keeps no states");
  }
  warn_of_rounding(study,
                   has_state([](const OptimizerState& each) { return each.name == master_weight; }),
                   warnings);
  if (update.release_gradients && study.baseline->timeline.released_outputs.empty()) {
    warnings.emplace_back("no gradient of a parameter can be released early");
  }
}

/// Warns of search options that change nothing.
void warn_of_search(const StudyParts& study, Warnings& warnings) {
  const PlanChoices& choices = study.choices.plans;
  if (choices.level > 0 && choices.search.level == 0) {
    warnings.push_back("level " + std::to_string(choices.level) +
                       " searches for plans with the probe " +
                       to_string(effective_search_options(choices)) + "; the chosen probe " +
                       to_string(choices.search) + " has no effect");
  }
  const auto& nodes = study.graph().nodes();
  for (const std::string& type : choices.search.also_recomputable) {
    const bool any =
        std::ranges::any_of(nodes, [&](const Node& node) { return node.op_type == type; });
    if (any) continue;
    warnings.push_back("recomputable operator '" + printable(type) +
                       "' matches no node of the model");
  }
}

/// Warns of choices about fused groups that have no effect. Names that no node has are most likely
/// typing errors.
void warn_of_fusion(const StudyParts& study, Warnings& warnings) {
  const FusionChoice& fusion = study.choices.fusion;
  if (fusion.strategy && !study.order) {
    warnings.emplace_back(
        "no nodes are fused, because a planned order may separate the nodes of a group");
  }
  if (!fusion.strategy && !(fusion.alone.empty() && fusion.apart.empty())) {
    warnings.emplace_back(
        "no fusion strategy is chosen, so choices about fused groups have no effect");
  }
  for (const std::string& name : unknown_nodes(study.graph(), study.current->dataflow, fusion)) {
    warnings.push_back("node '" + printable(name) +
                       "' in a choice about fused groups is not in the step");
  }
}

/// Warns of choices that have no effect on a captured step.
void warn_of_captured(const StudyParts& study, Warnings& warnings) {
  const CapturedStep* const captured = study.graph().data().captured.get();
  if (captured == nullptr) return;
  const auto leave_out = [&](bool is_chosen, const char* what) {
    if (!is_chosen) return;
    warnings.push_back(
        std::string(what) +
        " is left out, because the model is a captured step, which stays as PyTorch ran it");
  };
  const OrderChoices& order = study.choices.order;
  leave_out(order.strategy && *order.strategy != study.order, "the chosen order");
  leave_out(study.choices.fusion.strategy.has_value(), "the fusion");
  leave_out(captured->has_optimizer() && find_optimizer(study.choices.update.optimizer).updates,
            "the chosen optimizer");
  leave_out(study.choices.plans.sequence.has_value(), "the planned sequence");
  leave_out(study.choices.plans.overlaps_copies, "the overlap of copies");
  leave_out(study.choices.times.host_memory.has_value(), "the limit for the host's memory");
}

/// Warns of plans for clusters that the model does not have, which are most likely typing errors.
void warn_of_clusters(const StudyParts& study, Warnings& warnings) {
  const Opportunities& found = *study.opportunities;
  const RecomputeSearchOptions search = effective_search_options(study.choices.plans);
  const std::string nowhere =
      "' matches nothing in the model '" + printable(study.graph().data().name) + "'" +
      (study.graph().data().captured
           ? ""
           : " by the rules of ONNX Runtime " + std::string(rules_of(search.reference).name) +
                 " with the probe " + to_string(search));
  for (const auto& [cluster, choice] :
       without_operators(study.graph(), found, study.choices.plans.config)) {
    bool any = false;
    bool type_fits = choice.type == PlanType::none;
    for (const auto* plans : {&found.plans, &found.extensions}) {
      for (const NodePlan& plan : *plans) {
        any = any || plan.cluster == cluster;
        type_fits = type_fits || (plan.cluster == cluster && plan.type == choice.type);
      }
    }
    if (!any) {
      warnings.push_back("plan '" + printable(cluster) + nowhere);
    } else if (!type_fits) {
      warnings.push_back("plan '" + printable(cluster) + "' has no option of type " +
                         std::to_string(static_cast<int>(choice.type)));
    }
  }
}

/// Warns of pinned names that no node has, which are most likely typing errors. Also warns of
/// pinned nodes that a planned sequence runs again, because the user may pin nodes after planning.
void warn_of_pinned(const StudyParts& study, Warnings& warnings) {
  const PlanChoices& choices = study.choices.plans;
  if (choices.pinned.empty()) return;
  const NodeNames names(study.graph());
  for (const std::string& name : choices.pinned) {
    if (names.find(name).valid()) continue;
    warnings.push_back("pinned node '" + printable(name) + "' is not in the step");
  }
  if (!is_planned(study)) return;
  for (const auto& [node, more_runs] : repeated_nodes(*choices.sequence)) {
    if (!is_pinned(study.pinned, node)) continue;
    warnings.push_back("the planned sequence runs " + describe(study.graph().node(node), node) +
                       " again, but this node is pinned" +
                       option_words({Advice::Action::plan_again}));
  }
}

/// Warns of plans that are on but applied nowhere, because other plans for the same tensors take
/// precedence or the nodes of the plans are pinned.
void warn_of_rivals(const StudyParts& study, Warnings& warnings) {
  const PlanCounts applied = count_plans(study.applied);
  for (const auto& [cluster, choice] : study.config) {
    if (choice.count == 0 || applied.contains({cluster, choice.type})) continue;
    const std::vector<const NodePlan*> plans = plans_of(*study.opportunities, cluster, choice.type);
    if (plans.empty()) continue;
    const bool any_pinned = std::ranges::any_of(
        plans, [&](const NodePlan* each) { return is_pinned(study.pinned, each->node); });
    warnings.push_back("plan '" + printable(to_string(cluster, choice)) +
                       "' is on but changes nothing, because " +
                       (any_pinned ? "some or all of its nodes are pinned"
                                   : "other plans for the same tensors take precedence"));
  }
}

/// Warns of what-ifs that the user asked for, but that are stopped at every place.
void warn_of_what_ifs(const StudyParts& study, Warnings& warnings) {
  for (const WhatIfResult& each : study.prepared->step.what_ifs) {
    if (each.changed > 0 || each.stopped_by.empty()) continue;
    const WhatIfStop& stop = each.stopped_by.front();
    warnings.push_back("the what-if " + each.name + "=" + each.value +
                       " changes nothing: " + stop.node + " " + stop.reason);
  }
}

/// Warns of plans that keep more on the host than the limit for planners.
void warn_of_host(const StudyParts& study, Warnings& warnings) {
  const std::int64_t bytes = study.current->host_bytes;
  if (keeps_host(study.choices, bytes)) return;
  warnings.push_back("the offloaded tensors take up to " + format_bytes(bytes) +
                     " of the host's memory, more than its limit of " +
                     format_bytes(*study.choices.times.host_memory));
}

/// Warns of overlap that changes nothing, because nothing is offloaded.
void warn_of_idle_overlap(const StudyParts& study, Warnings& warnings) {
  const bool is_captured = study.graph().data().captured != nullptr;
  if (is_captured || !study.choices.plans.overlaps_copies) return;
  if (!study.current->copies.empty()) return;
  warnings.emplace_back("copies cannot overlap, because the step offloads no tensor");
}

/// Warns that a run on a GPU does not overlap the copies of offloaded tensors with kernels.
void warn_of_overlap(const StudyParts& study, Warnings& warnings) {
  const auto& device = study.choices.device;
  if (study.current->copies.empty() || !device || *device == "cpu") return;
  warnings.emplace_back(
      "a run on a GPU does not overlap the copies of offloaded tensors with kernels; its memory is "
      "that of the step with overlap, but its time is that of the step without overlap");
}

}  // namespace

std::vector<std::string> warnings_of(const StudyParts& study) {
  Warnings warnings;
  warn_of_sequence(study, warnings);
  add_all(study.graph().data().warnings, warnings);
  add_all(study.prepared->step.warnings, warnings);
  warn_of_what_ifs(study, warnings);
  warn_of_sizes(study, warnings);
  warn_of_boundary(study, warnings);
  warn_of_update(study, warnings);
  warn_of_search(study, warnings);
  add_all(warnings_of_moves(study), warnings);
  warn_of_fusion(study, warnings);
  warn_of_captured(study, warnings);
  warn_of_clusters(study, warnings);
  warn_of_pinned(study, warnings);
  warn_of_rivals(study, warnings);
  warn_of_host(study, warnings);
  warn_of_overlap(study, warnings);
  warn_of_idle_overlap(study, warnings);
  return warnings;
}

}  // namespace stashscope
