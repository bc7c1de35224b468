#include "core/report/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/graph/captured_step.h"
#include "core/report/budget_report.h"
#include "core/report/cost_report.h"
#include "core/report/fit_report.h"
#include "core/report/measured_report.h"
#include "core/report/memory_use.h"
#include "core/report/module_report.h"
#include "core/report/options_report.h"
#include "core/report/pass_report.h"
#include "core/report/pool_report.h"
#include "core/report/reserved_report.h"
#include "core/report/schedule_report.h"
#include "core/report/tables.h"
#include "core/report/what_if_report.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/tensor_facts.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/later_steps.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::size_t tensors_at_peak = 5;

/// The version of ONNX Runtime whose plans are listed.
std::string reference_name(const Study& study) {
  return std::string(rules_of(study.choices.plans.search.reference).name);
}

std::string percent(double part, double whole) {
  return whole == 0 ? "0.0 %" : format_fixed(100 * part / whole, 1) + " %";
}

json clean(const std::string& text) { return to_valid_utf8(text); }

json unknown_sizes_json(const Study& study) {
  json names = json::array();
  for (const ValueId id : study.sizes->unknown)
    names.push_back(clean(study.graph().value(id).name));
  return names;
}

std::string later_line(const Study& study, const Variant& variant) {
  const LaterSteps later = later_steps(study, variant);
  if (later.state_bytes == 0) return "";
  return "  later steps: " + exact_bytes(later.peak_bytes) + ", because the " +
         format_bytes(later.state_bytes) +
         " of optimizer states that this step makes are live there from the first node on\n";
}

/// What the chosen allocator and the pool reserve; empty if there is neither.
std::string reserved_lines(const ReportInput& input, const Variant& variant) {
  const auto reserve = chosen_reserve(input.study, variant, input.others);
  std::string text = reserve ? reserved_text(*reserve, input.others) : "";
  if (input.pool) {
    text += pool_text(pool_reserve(input.study, variant, *input.pool, input.others), input.others);
  }
  return text;
}

/// The static arena of the baseline or of the current variant; null if it is not reported.
const FoundArena* arena_of(const ReportInput& input, const Variant& variant) {
  if (!input.arenas) return nullptr;
  return &variant == input.study.baseline.get() ? &input.arenas->baseline : &input.arenas->current;
}

std::string peak_lines(const ReportInput& input, const Variant& variant, const char* title) {
  const Study& study = input.study;
  const std::string node = peak_node(study, variant);
  std::string text = std::string(title) + ": " + exact_bytes(variant.timeline.peak_bytes);
  if (!node.empty()) text += " while '" + printable(node) + "' runs";
  text += unknown_sizes_clause(study) + "\n" + later_line(study, variant);
  text += reserved_lines(input, variant);
  if (const FoundArena* const arena = arena_of(input, variant)) text += arena_text(*arena);
  for (const AliveTensor& each : largest_at_peak(study, variant, tensors_at_peak)) {
    text += "  " + with_thousands(each.bytes) + " B  " + each.role + "  " + printable(each.name) +
            " " + each.shape + "\n";
  }
  return text + "By use at the peak:\n" + bands_text(peak_bands(variant)) +
         phases_text("By phase, predicted", memory_phases(variant));
}

std::string transfers_clause(const Study& study) {
  const Variant& current = *study.current;
  if (current.transfer_bytes == 0) return "";
  const std::string waiting = format_seconds(waiting_seconds(study, current));
  return "; transfers to the host and back: " + format_bytes(current.transfer_bytes) + ", " +
         format_seconds(transfer_seconds(study, current)) + " without overlap" +
         (current.copies.empty() ? "" : ", " + waiting + " of waiting with overlap") +
         "; at most " + exact_bytes(current.host_bytes) + " on the host at once";
}

json model_json(const ReportInput& input) {
  const Study& study = input.study;
  const NodeCounts nodes = node_counts(study);
  return {{"path", clean(input.model_path)},
          {"nodes", study.model->data().nodes_in_file},
          {"forward_nodes", nodes.forward},
          {"backward_nodes", nodes.backward},
          {"parameter_bytes", study.sizes->parameter_bytes}};
}

/// The dimension sizes for which all bytes in the report are computed.
std::string dims_line(const Study& study) {
  std::vector<std::string> dims;
  for (const Dimension& each : study.sizes->dims.dimensions) {
    dims.push_back(printable(each.name) + " = " + std::to_string(each.value) +
                   (each.assumed ? " (" + std::string(origin_of(each)) + ")" : ""));
  }
  return dims.empty() ? "" : "Sizes: " + join(dims, ", ") + "\n";
}

json dims_json(const Study& study) {
  json dims = json::object();
  for (const Dimension& each : study.sizes->dims.dimensions) {
    dims[to_valid_utf8(each.name)] = each.value;
  }
  return dims;
}

json modules_json(const Graph& graph, const PlanRow& row) {
  json modules = json::array();
  for (const std::string& each : layers_of(graph, row)) modules.push_back(clean(each));
  return modules;
}

json plans_json(const Study& study) {
  json plans = json::array();
  for (const PlanRow& row : study.plan_table->plans) {
    plans.push_back({{"config", clean(row.config)},
                     {"freq", row.frequency},
                     {"saving_bytes", row.saving_bytes},
                     {"saving_symbolic", clean(row.saving_symbolic)},
                     {"bytes_at_peak", row.bytes_at_peak},
                     {"extra_flops", row.cost.flops},
                     {"extra_seconds", row.cost.seconds},
                     {"modules", modules_json(study.graph(), row)},
                     {"on", row.on},
                     {"applied", row.applied}});
  }
  return plans;
}

json stashed_json(const Graph& graph, const StashedOutput& stashed) {
  json shape = json::array();
  for (const Expr& dim : stashed.shape) shape.push_back(dim_text(graph, dim));
  return {{"output", stashed.output},
          {"shape", shape},
          {"bytes_per_element", stashed.bytes_per_element},
          {"saved_percent", stashed.saved_percent}};
}

json clusters_json(const Study& study) {
  json clusters = json::array();
  for (const ClusterRow& row : cluster_rows(study)) {
    json options = json::array();
    for (const ClusterOption& option : row.options) {
      json stashed = json::array();
      for (const StashedOutput& each : option.stashed) {
        stashed.push_back(stashed_json(study.graph(), each));
      }
      options.push_back({{"type", static_cast<int>(option.type)},
                         {"subgraph", clean(option.cluster)},
                         {"stashed", stashed}});
    }
    clusters.push_back({{"freq", row.nodes.size()}, {"options", options}});
  }
  return clusters;
}

/// The bytes that nodes need besides their inputs and outputs: the peak inside a node with
/// subgraphs or, in a captured step, the workspace that the capture measured.
json inner_peaks_json(const Study& study) {
  json peaks = json::array();
  for (const NodeId id : IdRange<NodeId>(study.graph().nodes().size())) {
    if (study.sizes->workspace[id] == 0) continue;
    const Node& node = study.graph().node(id);
    peaks.push_back({{"node", clean(node.name)},
                     {"operator", clean(node.op_type)},
                     {"inner_peak_bytes", study.sizes->workspace[id]}});
  }
  return peaks;
}

std::string inner_peak_lines(const Study& study) {
  std::string lines;
  for (const NodeId id : IdRange<NodeId>(study.graph().nodes().size())) {
    if (study.sizes->workspace[id] == 0) continue;
    lines += (study.graph().data().captured ? "Workspace of " : "Inner peak of ") +
             describe(study.graph().node(id), id) + ": " +
             format_bytes(study.sizes->workspace[id]) + "\n";
  }
  return lines;
}

json variant_json(const Study& study, const Variant& variant) {
  const LaterSteps later = later_steps(study, variant);
  return {{"peak_bytes", variant.timeline.peak_bytes},
          {"later_peak_bytes", later.peak_bytes},
          {"made_state_bytes", later.state_bytes},
          {"peak_node", clean(peak_node(study, variant))},
          {"peak_symbolic", clean(peak_symbolic(study, variant))},
          {"peak_bands", bands_json(peak_bands(variant))},
          {"phases", phases_json(memory_phases(variant))}};
}

/// The allocator whose reserved memory is reported.
/// @pre there is a pool, or an allocator is chosen
json allocator_json(const ReportInput& input) {
  if (input.pool) return {{"name", "cuda_pool"}, {"settings", to_string(*input.pool)}};
  return {{"name", "pytorch"}, {"settings", *input.study.choices.allocator}};
}

/// What the pool reserves or, without a pool, what the chosen allocator reserves.
/// @pre there is a pool, or an allocator is chosen
json reserved_json(const ReportInput& input, const Variant& variant) {
  if (!input.pool) return reserved_json(*chosen_reserve(input.study, variant, input.others));
  return pool_json(pool_reserve(input.study, variant, *input.pool, input.others));
}

}  // namespace

std::string unknown_sizes_clause(const Study& study) {
  const std::size_t count = study.sizes->unknown.size();
  if (count == 0) return "";
  return ", without " + counted(count, "tensor", "tensors") + " of unknown size";
}

std::string no_backward_line(const Study& study) {
  const std::string& why = study.prepared->step.no_backward;
  return why.empty() ? "" : "No backward pass: " + why + "\n\n";
}

namespace {

std::string plans_text(const Study& study) {
  return "Plans of ONNX Runtime " + reference_name(study) + "\n\n" +
         plan_table_text(study.plan_table->plans) + "\n" +
         cluster_table_text(study.graph(), cluster_rows(study), study.config,
                            rules_of(study.choices.plans.search.reference)) +
         "\n";
}

std::string captured_line(const Study& study, const CapturedStep& captured) {
  return "A step captured from PyTorch " + printable(captured.torch) + " on " +
         printable(captured.device) + ", with " + printable(captured.tensors) +
         " tensors: " + counted(study.graph().nodes().size(), "operator", "operators") + "\n\n";
}

std::string offers_text(const Study& study, const std::vector<WhatIfSaving>& offers) {
  if (!can_change_graph(study)) {
    return "What-ifs are not tried: the step has a backward pass of its own, or measured times.\n";
  }
  if (offers.empty()) return "No what-if would change this model.\n";
  return what_if_lines("What-ifs that could be switched on, each compared with this step:", offers);
}

json captured_json(const CapturedStep& captured) {
  return {{"torch", clean(captured.torch)},
          {"device", clean(captured.device)},
          {"tensors", clean(captured.tensors)}};
}

}  // namespace

ReportInput report_input(const Study& study, const std::string& model_path) {
  ReportInput input{study, model_path};
  input.passes = pass_savings(study);
  input.what_ifs = what_if_savings(study);
  input.fusions = fusion_table(study, SearchedOrders::leave_out);
  return input;
}

std::string text_report(const ReportInput& input) {
  const Study& study = input.study;
  const CapturedStep* const captured = study.graph().data().captured.get();
  std::string text = captured != nullptr ? captured_line(study, *captured)
                                         : no_backward_line(study) + plans_text(study);
  text += dims_line(study);
  text += peak_lines(input, *study.baseline, "Peak before");
  text += peak_lines(input, *study.current, "Peak after");
  const std::int64_t before = study.baseline->timeline.peak_bytes;
  const std::int64_t saved = before - study.current->timeline.peak_bytes;
  text += "Saved at the peak: " + format_bytes(saved) + " (" +
          percent(static_cast<double>(saved), static_cast<double>(before)) +
          "); extra computation: " + format_fixed(extra_percent(study), 1) + " %" +
          transfers_clause(study) + "\n";
  if (input.planned.budget)
    text += budget_text(study, *input.planned.budget, input.planned.exported);
  text += curve_text(study, input.planned.curve);
  if (input.planned.fit) text += fit_text(study, *input.planned.fit, input.planned.replanned);
  if (input.advice) text += advice_text(*input.advice);
  text += orders_text(study) + fusions_text(study, input.fusions);
  text += step_time_text(study);
  text += module_memory_text(study);
  text += modules_text(study) + extensions_text(study) + why_not_text(study);
  text += inner_peak_lines(study);
  text += pass_lines(input.passes);
  text += what_if_lines("What-ifs that are on, each compared with the step without it:",
                        input.what_ifs);
  if (input.what_if_offers) text += offers_text(study, *input.what_if_offers);
  if (input.measured) text += measured_text(study, *input.measured, input.pool);
  return text;
}

std::string json_report(const ReportInput& input) {
  const Study& study = input.study;
  const std::vector<std::string> kept(study.choices.plans.pinned.begin(),
                                      study.choices.plans.pinned.end());
  json report = {
      {"model", model_json(input)},
      {"dims", dims_json(study)},
      {"reference", reference_name(study)},
      {"notes", texts_json(study.warnings)},
      {"plans", plans_json(study)},
      {"kept", texts_json(kept)},
      {"clusters", clusters_json(study)},
      {"extensions", extensions_json(study)},
      {"why_not", why_not_json(study)},
      {"modules", modules_json(study)},
      {"module_memory", module_memory_json(study)},
      {"memory",
       {{"baseline", variant_json(study, *study.baseline)},
        {"current", variant_json(study, *study.current)},
        {"stashed_bytes", stashed_bytes(study.baseline->timeline, study.opportunities->stashed)}}},
      {"orders", orders_json(study)},
      {"fusion", fusion_json(study, input.fusions)},
      {"cost", cost_json(study)}};
  const json inner_peaks = inner_peaks_json(study);
  if (!inner_peaks.empty()) report["memory"]["inner_peaks"] = inner_peaks;
  if (study.choices.allocator || input.pool) {
    for (const auto& [name, variant] :
         {std::pair("baseline", study.baseline), std::pair("current", study.current)}) {
      report["memory"][name].update(reserved_json(input, *variant));
    }
    report["memory"]["allocator"] = allocator_json(input);
    report["memory"]["other_memory"] = other_memory_json(input.others);
  }
  if (input.arenas) {
    const auto& [baseline, current] = *input.arenas;
    add_arena(report["memory"]["baseline"], study, *study.baseline, baseline);
    add_arena(report["memory"]["current"], study, *study.current, current);
  }
  const json unknown_sizes = unknown_sizes_json(study);
  if (!unknown_sizes.empty()) report["memory"]["unknown_sizes"] = unknown_sizes;
  const std::string& no_backward = study.prepared->step.no_backward;
  if (!no_backward.empty()) report["no_backward"] = clean(no_backward);
  if (study.graph().data().captured)
    report["captured"] = captured_json(*study.graph().data().captured);
  if (input.advice) report["allocator_advice"] = advice_json(*input.advice);
  const auto& [budget, exported, curve, fit, replanned] = input.planned;
  if (budget) report["budget"] = budget_json(study, *budget, exported);
  if (!curve.empty()) report["pareto"] = curve_json(study, curve);
  if (fit) report["fit"] = fit_json(study, *fit, replanned);
  if (!input.passes.empty()) report["passes"] = passes_json(input.passes);
  if (!input.what_ifs.empty()) report["what_if"] = what_ifs_json(input.what_ifs);
  if (input.what_if_offers) report["what_if_offers"] = what_ifs_json(*input.what_if_offers);
  if (input.measured) report["measured"] = measured_json(study, *input.measured, input.pool);
  return report.dump(1) + "\n";
}

}  // namespace stashscope
