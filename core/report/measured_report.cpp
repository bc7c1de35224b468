#include "core/report/measured_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/memory_use.h"
#include "core/report/pool_report.h"

namespace stashscope {

namespace {

using nlohmann::json;

std::vector<MemoryPhase> measured_phases(const Variant& variant, const Measurement& measured) {
  return memory_phases(measured.live_bytes, measured.idle_bytes, variant.forward_slots);
}

/// `1 MiB before, 2 MiB after`
template <class Text>
std::string before_and_after(const StudyMeasurements& runs, const Text& text) {
  const std::string before =
      runs.baseline ? text(*runs.baseline) + " before" : "before not measured";
  return before + ", " + text(runs.current) + " after";
}

using BytesOf = std::int64_t (*)(const Measurement&);

bool has_any(const StudyMeasurements& runs, BytesOf bytes) {
  return bytes(runs.current) > 0 || (runs.baseline && bytes(*runs.baseline) > 0);
}

std::string bytes_of_both(const StudyMeasurements& runs, BytesOf bytes) {
  return before_and_after(runs, [&](const Measurement& run) { return format_bytes(bytes(run)); });
}

std::string workspace_line(const StudyMeasurements& runs) {
  if (!has_any(runs, peak_workspace)) return "";
  return "Workspace besides tensors: " + bytes_of_both(runs, peak_workspace) +
         "; together with tensors: " + bytes_of_both(runs, peak_with_workspace) + "\n";
}

std::string reserved_line(const StudyMeasurements& runs) {
  const auto reserved = [](const Measurement& run) { return run.peak_reserved_bytes; };
  if (!has_any(runs, reserved)) return "";
  return "Reserved by the device's allocator: " + bytes_of_both(runs, reserved) + "\n";
}

/// The memory predicted for the pools, a range, and whether the measured bytes lie below, within or
/// above this range.
std::string pools_line(const Study& study, const StudyMeasurements& runs,
                       const std::optional<PoolSettings>& settings) {
  std::vector<std::string> parts;
  const auto add = [&](const Variant& variant, const Measurement& run, const std::string& when) {
    if (!settings || run.peak_reserved_bytes == 0) return;
    parts.push_back(when + measured_pools_text(measured_pools(study, variant, run, *settings)));
  };
  if (runs.baseline) add(*study.baseline, *runs.baseline, "before ");
  add(*study.current, runs.current, "after ");
  if (parts.empty()) return "";
  // Only PyTorch runs captured steps, and its usual allocator is no pool of CUDA.
  const std::string whose = study.graph().data().captured
                                ? "a pool, if PyTorch ran with backend:cudaMallocAsync"
                                : "the pools of tensors and workspaces";
  return "  predicted for " + whose + ": " + join(parts, "; ") + "\n";
}

/// `run_json`, with the memory predicted for the pools if there are settings and the run has
/// measured reserved memory.
json run_with_pools(const Study& study, const Variant& variant, const Measurement& run,
                    const std::optional<PoolSettings>& settings) {
  json object = run_json(run);
  if (settings && run.peak_reserved_bytes > 0) {
    object["predicted_pools"] = measured_pools_json(measured_pools(study, variant, run, *settings));
  }
  return object;
}

std::string time_line(const StudyMeasurements& runs) {
  if (runs.current.step_seconds == 0) return "";
  if (runs.baseline && runs.baseline->step_seconds == 0) return "";
  const auto step = [](const Measurement& run) { return format_seconds(run.step_seconds); };
  const auto nodes = [](const Measurement& run) { return format_seconds(seconds_of_nodes(run)); };
  return "Time of the whole step, measured: " + before_and_after(runs, step) +
         "; sum of its nodes: " + before_and_after(runs, nodes) + "\n";
}

}  // namespace

std::string measured_peak_line(const MeasuredPair& measured) {
  const auto peak = [](const Measurement& run) { return format_bytes(run.peak_bytes); };
  return "Measured on " + measured.runs.current.device + ": " +
         before_and_after(measured.runs, peak) +
         "; largest difference from the prediction in any slot: " +
         with_thousands(measured.max_abs_error_bytes) + " B\n";
}

std::string measured_text(const Study& study, const MeasuredPair& measured,
                          const std::optional<PoolSettings>& pool) {
  const auto& [baseline, current] = measured.runs;
  std::string text = measured_peak_line(measured) + workspace_line(measured.runs) +
                     reserved_line(measured.runs) + pools_line(study, measured.runs, pool) +
                     time_line(measured.runs);
  for (const std::string& each : remarks_on(study, measured.runs)) text += each + "\n";
  if (baseline) {
    text += phases_text("By phase, measured without plans",
                        measured_phases(*study.baseline, *baseline));
  }
  return text + phases_text("By phase, measured with the choices",
                            measured_phases(*study.current, current));
}

json measured_json(const Study& study, const MeasuredPair& measured,
                   const std::optional<PoolSettings>& pool) {
  const auto& [baseline, current] = measured.runs;
  json object = {{"device", current.device},
                 {"current", run_with_pools(study, *study.current, current, pool)},
                 {"current_peak_bytes", current.peak_bytes},
                 {"max_abs_error_bytes", measured.max_abs_error_bytes},
                 {"remarks", texts_json(remarks_on(study, measured.runs))},
                 {"phases", {{"current", phases_json(measured_phases(*study.current, current))}}}};
  if (!baseline) return object;
  object["baseline"] = run_with_pools(study, *study.baseline, *baseline, pool);
  object["baseline_peak_bytes"] = baseline->peak_bytes;
  object["phases"]["baseline"] = phases_json(measured_phases(*study.baseline, *baseline));
  return object;
}

json run_json(const Measurement& run) {
  json object = {{"peak_bytes", run.peak_bytes}};
  if (!run.node_seconds.empty()) object["node_seconds_sum"] = seconds_of_nodes(run);
  if (run.step_seconds > 0) object["step_seconds"] = run.step_seconds;
  const bool is_traced = !run.live_bytes.empty();
  if (is_traced) object["peak_workspace_bytes"] = peak_workspace(run);
  if (is_traced || run.peak_together_bytes > 0) {
    object["peak_with_workspace_bytes"] = peak_with_workspace(run);
  }
  if (run.peak_reserved_bytes > 0) object["peak_reserved_bytes"] = run.peak_reserved_bytes;
  return object;
}

json texts_json(const std::vector<std::string>& texts) {
  json list = json::array();
  for (const std::string& each : texts) list.push_back(to_valid_utf8(each));
  return list;
}

}  // namespace stashscope
