#include "core/report/options_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/facts/module_plans.h"
#include "core/study/step/plan_effects.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::size_t shown_rows = 8;

std::string more_line(std::size_t rows) {
  if (rows <= shown_rows) return "";
  return "  ... and " + std::to_string(rows - shown_rows) + " more (--format json lists all)\n";
}

std::string cost_text(const PlanRow& row) {
  const std::string time = format_seconds(row.cost.seconds);
  if (row.cost.transfer_bytes != 0) return time + " of transfers";
  return format_number(row.cost.flops) + " flops, " + time;
}

std::string op_text(const Study& study, NodeId node) {
  return "'" + printable(study.graph().node(node).name) + "' (" +
         printable(study.graph().node(node).op_type) + ")";
}

}  // namespace

std::string extensions_text(const Study& study) {
  const auto& rows = study.plan_table->extensions;
  if (rows.empty()) return "";
  std::string text = "Plans of types that ONNX Runtime does not know:\n";
  for (std::size_t i = 0; i < std::min(rows.size(), shown_rows); ++i) {
    const PlanRow& row = rows[i];
    const Strategy& strategy = strategy_of(row.type);
    text += "  " + std::string(row.on ? "ON  " : "OFF ") + printable(row.config) + "  " +
            std::string(strategy.name) + (strategy.lossy ? " (lossy)" : "") + " x" +
            std::to_string(row.frequency) + ", saves " + format_bytes(row.saving_bytes) + ", " +
            format_bytes(row.bytes_at_peak) + " of it at the peak, for " + cost_text(row) + "\n";
  }
  return text + more_line(rows.size());
}

std::string why_not_text(const Study& study) {
  const std::vector<UnplannedTensor> tensors = unplanned_tensors(study);
  if (tensors.empty()) return "";
  std::string text = "Stashed without a recompute plan:\n";
  for (std::size_t i = 0; i < std::min(tensors.size(), shown_rows); ++i) {
    const UnplannedTensor& each = tensors[i];
    text += "  " + with_thousands(each.bytes) + " B  " +
            printable(study.graph().value(each.value).name) + ": " + each.rule + ", at " +
            op_text(study, each.stopped_at) + "\n";
  }
  return text + more_line(tensors.size());
}

std::string modules_text(const Study& study) {
  const std::vector<ModulePlans> modules = module_plans(study);
  if (modules.empty()) return "";
  std::string text = "Plans by module (--recompute-module MODULE switches them on):\n";
  for (std::size_t i = 0; i < std::min(modules.size(), shown_rows); ++i) {
    const ModulePlans& each = modules[i];
    text += "  " + printable(each.module) + ": " + counted(each.plans, "plan", "plans") +
            ", saving " + format_bytes(each.saving_bytes) + ", " + std::to_string(each.on) +
            " on\n";
  }
  return text + more_line(modules.size());
}

json modules_json(const Study& study) {
  json rows = json::array();
  for (const ModulePlans& each : module_plans(study)) {
    rows.push_back({{"module", to_valid_utf8(each.module)},
                    {"plans", each.plans},
                    {"on", each.on},
                    {"saving_bytes", each.saving_bytes}});
  }
  return rows;
}

json extensions_json(const Study& study) {
  json rows = json::array();
  for (const PlanRow& row : study.plan_table->extensions) {
    const Strategy& strategy = strategy_of(row.type);
    rows.push_back({{"config", to_valid_utf8(row.config)},
                    {"strategy", strategy.name},
                    {"lossy", strategy.lossy},
                    {"freq", row.frequency},
                    {"saving_bytes", row.saving_bytes},
                    {"saving_symbolic", to_valid_utf8(row.saving_symbolic)},
                    {"bytes_at_peak", row.bytes_at_peak},
                    {"extra_flops", row.cost.flops},
                    {"transfer_bytes", row.cost.transfer_bytes},
                    {"extra_seconds", row.cost.seconds},
                    {"on", row.on},
                    {"applied", row.applied}});
  }
  return rows;
}

json why_not_json(const Study& study) {
  json rows = json::array();
  for (const UnplannedTensor& each : unplanned_tensors(study)) {
    const Node& node = study.graph().node(each.stopped_at);
    rows.push_back({{"tensor", to_valid_utf8(study.graph().value(each.value).name)},
                    {"bytes", each.bytes},
                    {"stopped_at", to_valid_utf8(node.name)},
                    {"op_type", to_valid_utf8(node.op_type)},
                    {"rule", each.rule}});
  }
  return rows;
}

}  // namespace stashscope
