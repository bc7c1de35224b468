#include "core/report/budget_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/cost_report.h"
#include "core/report/joint_report.h"
#include "core/report/reserved_report.h"
#include "core/study/facts/peak_floor.h"
#include "core/study/facts/plan_summary.h"
#include "core/study/facts/tensor_facts.h"
#include "core/study/step/later_steps.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::size_t shown_tensors = 8;

double share_of_step(const Study& study, double seconds) {
  const double step = step_seconds(study, *study.baseline);
  return step == 0 ? 0 : 100 * seconds / step;
}

std::string time_text(const Study& study, double seconds) {
  return format_seconds(seconds) + " (" + format_fixed(share_of_step(study, seconds), 2) + " %)";
}

std::string bound_text(const Study& study, const StepPeakBound& bound) {
  std::string text = "No plan at any granularity has a peak below " + format_bytes(bound.bytes);
  text += bound.node.valid()
              ? ": while " + describe(study.graph().node(bound.node), bound.node) + " runs"
              : ": at the end of the step";
  text += ", these bytes are live:\n  " + format_bytes(bound.persistent_bytes) + " persistent (" +
          persistent_words(study) + ")\n";
  const std::size_t shown = std::min(shown_tensors, bound.tensors.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Value& value = study.graph().value(bound.tensors[i]);
    text += "  " + format_bytes(study.sizes->bytes[bound.tensors[i]]) + " " +
            printable(value.name) + " " + type_text(study.graph(), value.type) + "\n";
  }
  if (shown == bound.tensors.size()) return text;
  return text + "  and " + std::to_string(bound.tensors.size() - shown) + " more\n";
}

/// A clause about the proven lower bound on the extra time. Empty if the plan takes extra time, but
/// the bound is 0 or unknown.
std::string proof_text(const Study& study, const BudgetAnswer& answer) {
  if (answer.is_proven_cheapest()) return "; proven to be the cheapest at any granularity";
  const double least = std::max(0.0, answer.least_extra_seconds.value_or(0));
  if (least == 0) return "";
  return "; any plan within the budget takes at least " + time_text(study, least) + " more time";
}

std::string verdict_text(const Study& study, const BudgetAnswer& answer) {
  if (answer.joint != nullptr) return joint_verdict(answer);
  const auto& reserved = answer.reserved_bytes;
  const std::string peak = exact_bytes(answer.best.peak_bytes);
  const std::string found =
      (reserved ? exact_bytes(*reserved) + " reserved for a peak of " + peak : peak) +
      (answer.device ? ", " + on_device_text(*answer.device) + "," : "") + " with " +
      time_text(study, answer.best.extra_seconds) + " more time";
  if (answer.feasible) return "met: " + found + proof_text(study, answer);
  return std::string(answer.is_impossible() ? "cannot be met" : "not met") +
         (reserved ? ": the least found is " : ": the lowest peak found is ") + found;
}

json bound_json(const Study& study, const StepPeakBound& bound) {
  json tensors = json::array();
  for (const ValueId value : bound.tensors) {
    tensors.push_back({{"name", to_valid_utf8(study.graph().value(value).name)},
                       {"bytes", study.sizes->bytes[value]}});
  }
  const std::string node = bound.node.valid() ? study.graph().node(bound.node).name : "";
  return {{"bytes", bound.bytes},
          {"resident_bytes", bound.persistent_bytes},
          {"node", to_valid_utf8(node)},
          {"tensors", tensors}};
}

json point_json(const Study& study, const ParetoPoint& point) {
  const Repeats repeats = repeats_of(point.choices);
  return {
      {"peak_bytes", point.peak_bytes},
      {"extra_seconds", point.extra_seconds},
      {"extra_seconds_percent", share_of_step(study, point.extra_seconds)},
      {"config",
       !point.choices.plans.sequence ? to_valid_utf8(to_string(point.choices.plans.config)) : ""},
      {"probe", to_string(point.choices.plans.search)},
      {"repeated_nodes", repeats.nodes},
      {"repeated_runs", repeats.runs}};
}

/// Says that --overlap-transfers or --host-memory has no effect, because the grain makes plans
/// without offloaded tensors. Empty if neither is chosen, or if the grain can offload tensors.
std::string unused_text(const Study& study, const BudgetAnswer& answer) {
  const PlanGranularity grain = answer.request.grain;
  const bool has_effect = grain != PlanGranularity::node && grain != PlanGranularity::sequence;
  std::vector<std::string> chosen;
  if (study.choices.plans.overlaps_copies) chosen.emplace_back("--overlap-transfers");
  if (study.choices.times.host_memory) chosen.emplace_back("--host-memory");
  if (has_effect || chosen.empty()) return "";
  return "  " + join(chosen, " and ") + (chosen.size() == 1 ? " has" : " have") +
         " no effect, because --grain " + std::string(name_of(grain)) +
         " makes plans without offloaded tensors\n";
}

/// The peak of later steps with the plan; empty if the step makes no states of its optimizer.
std::string later_text(const Study& study, const BudgetRequest& request) {
  const LaterSteps later = later_steps(study, *study.current);
  if (later.state_bytes == 0) return "";
  const bool is_above = later.peak_bytes > request.budget_bytes;
  // With an allocator, the budget limits reserved memory, and this is the memory of tensors.
  const char* const verdict = request.allocator ? ""
                              : is_above        ? ", more than the budget"
                                                : ", within the budget";
  return "  Later steps need " + exact_bytes(later.peak_bytes) + " with this plan" + verdict +
         ": the " + exact_bytes(later.state_bytes) +
         " of optimizer states that this step makes are live there from the first node on\n";
}

/// The peak and the extra time of the plans that ONNX Runtime runs for the config string of the
/// plan; empty without `effect`.
std::string export_text(const Study& study, const std::optional<ExportedEffect>& effect) {
  if (!effect) return "";
  return "  As a config string for ONNX Runtime " + std::string(effect->version) +
         ", the plan has a peak of " + exact_bytes(effect->peak_bytes) + " with " +
         time_text(study, effect->extra_seconds) +
         " more time; save the model to keep the plan as it is\n";
}

}  // namespace

std::string host_sentence(const Study& study, const BudgetAnswer& answer) {
  if (!answer.left_out_for_host) return "";
  const PlanOutcome& plans = *answer.left_out_for_host;
  return "The host's memory limits the plans: with " + exact_bytes(plans.host_bytes) +
         " on the host instead of at most " + exact_bytes(*study.choices.times.host_memory) +
         ", a peak of " + exact_bytes(plans.peak_bytes) + " would take " +
         (answer.joint != nullptr
              ? format_seconds(answer.joint->seconds_before + plans.extra_seconds) + " a step"
              : time_text(study, plans.extra_seconds) + " more time") +
         "; --host-memory " + std::to_string(plans.host_bytes) + " allows it.";
}

/// The finer granularities that may meet a budget that was not met; empty if there are none.
std::string finer_text(const Study& study, const BudgetAnswer& answer) {
  const PlanGranularity grain = answer.request.grain;
  const bool is_cluster = grain == PlanGranularity::cluster;
  if (!is_cluster && grain != PlanGranularity::node) return "";
  if (answer.feasible || answer.is_impossible() || study.graph().data().captured) return "";
  return "  a finer granularity may meet the budget: " +
         std::string(is_cluster ? "--grain node or " : "") + "--grain sequence\n";
}

std::string budget_text(const Study& study, const BudgetAnswer& answer,
                        const std::optional<ExportedEffect>& exported) {
  std::string text = "Budget " + exact_bytes(answer.request.budget_bytes) + " with --grain " +
                     std::string(name_of(answer.request.grain)) + " " +
                     verdict_text(study, answer) + "\n  " + plan_text(answer.best.choices) +
                     "\n  " + with_thousands(answer.moves) + " moves in " +
                     format_fixed(answer.seconds, 1) + " s\n";
  text += finer_text(study, answer);
  if (answer.joint != nullptr) text += explanation_text(answer);
  if (!answer.lowered_for_host.empty()) {
    text += "  The host has no room for all tensors of " +
            printable(to_string(answer.lowered_for_host)) + "; the plan offloads fewer\n";
  }
  const std::string host = host_sentence(study, answer);
  if (!host.empty()) text += "  " + host + "\n";
  text += unused_text(study, answer);
  text += later_text(study, answer.request);
  text += export_text(study, exported);
  if (!answer.feasible && answer.floor) text += bound_text(study, *answer.floor);
  return text;
}

json budget_json(const Study& study, const BudgetAnswer& answer,
                 const std::optional<ExportedEffect>& exported) {
  json budget = point_json(study, answer.best);
  budget["budget_bytes"] = answer.request.budget_bytes;
  budget["grain"] = name_of(answer.request.grain);
  budget["feasible"] = answer.feasible;
  budget["impossible"] = answer.is_impossible();
  const LaterSteps later = later_steps(study, *study.current);
  budget["later_state_bytes"] = later.state_bytes;
  budget["later_peak_bytes"] = later.peak_bytes;
  if (exported) {
    budget["exported"] = {{"peak_bytes", exported->peak_bytes},
                          {"extra_seconds", exported->extra_seconds}};
  }
  budget["host_bytes"] = answer.best.host_bytes;
  if (!answer.lowered_for_host.empty()) {
    budget["lowered_for_host"] = to_valid_utf8(to_string(answer.lowered_for_host));
  }
  if (answer.left_out_for_host) {
    budget["left_out_for_host"] = {{"peak_bytes", answer.left_out_for_host->peak_bytes},
                                   {"extra_seconds", answer.left_out_for_host->extra_seconds},
                                   {"host_bytes", answer.left_out_for_host->host_bytes}};
  }
  if (answer.reserved_bytes) budget["reserved_bytes"] = *answer.reserved_bytes;
  if (answer.device) budget["device_bytes"] = device_json(*answer.device);
  budget["moves"] = answer.moves;
  budget["seconds"] = answer.seconds;
  budget["seed"] = answer.request.limit.seed;
  if (answer.floor) budget["floor"] = bound_json(study, *answer.floor);
  if (answer.least_extra_seconds) budget["least_extra_seconds"] = *answer.least_extra_seconds;
  if (answer.joint != nullptr) budget.update(joint_json(answer));
  return budget;
}

std::string curve_text(const Study& study, const std::vector<ParetoPoint>& curve) {
  std::string text = curve.empty() ? "" : "Peak against extra time:\n";
  for (const ParetoPoint& point : curve) {
    text += "  " + format_bytes(point.peak_bytes) + " at " + time_text(study, point.extra_seconds) +
            " more: " + plan_text(point.choices) + "\n";
  }
  return text;
}

json curve_json(const Study& study, const std::vector<ParetoPoint>& curve) {
  json points = json::array();
  for (const ParetoPoint& point : curve) points.push_back(point_json(study, point));
  return points;
}

}  // namespace stashscope
