#include "core/report/replanned_report.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/reserved_report.h"
#include "core/study/facts/plan_summary.h"

namespace stashscope {

namespace {

using nlohmann::json;

std::string peak_text(const PlannedFit& fit) {
  return memory_text(
      {fit.peak_bytes, fit.reserved_bytes, fit.device, fit.host_bytes, fit.later_peak_bytes});
}

std::string time_text(const PlannedFit& fit) {
  return format_seconds(fit.seconds) + " a step, " + format_seconds(fit.extra_seconds) +
         " of it for plans, " + format_seconds(fit.seconds / static_cast<double>(fit.value)) +
         " for each of the " + std::to_string(fit.value);
}

std::vector<std::string> names_of(const std::vector<const GraphPass*>& passes) {
  std::vector<std::string> names;
  names.reserve(passes.size());
  for (const GraphPass* const pass : passes) names.emplace_back(pass->name);
  return names;
}

std::string plan_line(const PlannedFit& fit) {
  const std::string passes = join(names_of(fit.passes), ",");
  return "    " + plan_text(fit.choices) + (passes.empty() ? "" : " with --pass " + passes) + "\n";
}

std::string limit_text(const SearchLimit& limit) {
  if (limit.seconds > 0) return format_fixed(limit.seconds, 1) + " s";
  return limit.moves == 1 ? "1 move" : with_thousands(limit.moves) + " moves";
}

std::string next_line(const ReplannedFit& fit) {
  if (!fit.next) return "";
  const std::string value = "    " + std::to_string(fit.next->value);
  if (!fit.next->fault.empty()) {
    return value + " fails: " + to_valid_utf8(fit.next->fault) + "\n";
  }
  if (fit.next->bound_bytes) {
    return value + " fails: no plan has a peak below " +
           format_bytes_beside(*fit.next->bound_bytes, fit.memory_bytes) + "\n";
  }
  const auto& device = fit.next->device;
  if (device && device->high_bytes > *fit.device_bytes) {
    return value + " was not decided in " + limit_text(fit.request.limit) +
           "; the best plan found takes up to " +
           format_bytes_beside(device->high_bytes, *fit.device_bytes) +
           " of the device, more than " +
           format_bytes_beside(*fit.device_bytes, device->high_bytes) + "\n";
  }
  const auto& reserved = fit.next->reserved_bytes;
  return value + " was not decided in " + limit_text(fit.request.limit) +
         (reserved ? "; the best plan found reserves " : "; the lowest peak found is ") +
         format_bytes_beside(reserved.value_or(fit.next->later_peak_bytes), fit.memory_bytes) +
         "\n";
}

std::string largest_text(const ReplannedFit& fit) {
  if (!fit.largest) return fit.is_at_least() ? "no plan that fits was found" : "nothing fits";
  const std::string value = std::to_string(fit.largest->value);
  if (fit.is_unlimited) return "no limit found up to " + value;
  return (fit.is_at_least() ? "at least " : "") + value + ", " + peak_text(*fit.largest) + ", " +
         time_text(*fit.largest);
}

json largest_json(const std::optional<PlannedFit>& fit) {
  if (!fit) return nullptr;
  const Repeats repeats = repeats_of(fit->choices);
  const PlanChoices& plans = fit->choices.plans;
  json object = {{"value", fit->value},
                 {"peak_bytes", fit->peak_bytes},
                 {"later_peak_bytes", fit->later_peak_bytes},
                 {"host_bytes", fit->host_bytes},
                 {"step_seconds", fit->seconds},
                 {"extra_seconds", fit->extra_seconds},
                 {"config", plans.sequence ? "" : to_valid_utf8(to_string(plans.config))},
                 {"probe", to_string(plans.search)},
                 {"passes", names_of(fit->passes)},
                 {"repeated_nodes", repeats.nodes},
                 {"repeated_runs", repeats.runs}};
  if (fit->reserved_bytes) object["reserved_bytes"] = *fit->reserved_bytes;
  if (fit->device) object["device_bytes"] = device_json(*fit->device);
  return object;
}

json next_json(const std::optional<UnplannedSize>& next) {
  if (!next) return nullptr;
  json object = {{"value", next->value}, {"bound_bytes", nullptr}, {"lowest_peak_bytes", nullptr}};
  if (next->bound_bytes) object["bound_bytes"] = *next->bound_bytes;
  if (!next->fault.empty()) object["fault"] = to_valid_utf8(next->fault);
  if (next->lowest_peak_bytes > 0) object["lowest_peak_bytes"] = next->lowest_peak_bytes;
  if (next->reserved_bytes) object["reserved_bytes"] = *next->reserved_bytes;
  if (next->device) object["device_bytes"] = device_json(*next->device);
  return object;
}

}  // namespace

std::string replanned_text(const ReplannedFit& fit) {
  std::string text = "  With a plan made for each size: " + largest_text(fit) + "\n";
  if (fit.largest) text += plan_line(*fit.largest);
  if (fit.refused_value) text += "    " + std::to_string(*fit.refused_value) + " is refused\n";
  return text + next_line(fit);
}

json replanned_json(const ReplannedFit& fit) {
  json object = {{"largest", largest_json(fit.largest)}, {"at_least", fit.is_at_least()},
                 {"next", next_json(fit.next)},          {"refused", nullptr},
                 {"unlimited", fit.is_unlimited},        {"values_tried", fit.trials},
                 {"grain", name_of(fit.request.grain)}};
  if (fit.refused_value) object["refused"] = *fit.refused_value;
  return object;
}

}  // namespace stashscope
