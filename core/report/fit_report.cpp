#include "core/report/fit_report.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/report/cost_report.h"
#include "core/report/replanned_report.h"
#include "core/report/reserved_report.h"
#include "core/study/facts/tensor_facts.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::size_t tensors_of_a_point = 3;

std::string peak_text(const FitPoint& point) {
  return memory_text({point.peak_bytes, point.reserved_bytes, point.device,
                      point.variant->host_bytes, point.later_peak_bytes});
}

std::string time_text(const FitPoint& point) {
  return format_seconds(point.seconds) + " a step, " +
         format_seconds(point.seconds / static_cast<double>(point.value)) + " for each of the " +
         std::to_string(point.value);
}

std::string others_text(const FitPoint& point) {
  std::vector<std::string> others;
  for (const Dimension& each : point.others) {
    others.push_back(printable(each.name) + " = " + std::to_string(each.value));
  }
  return others.empty() ? "" : ", with " + join(others, ", ");
}

std::string failing_lines(const Study& study, const FitPoint& point) {
  std::string text = "    " + std::to_string(point.value) + others_text(point) + " fails: ";
  if (point.variant == nullptr) return text + to_valid_utf8(point.fault) + "\n";
  text += peak_text(point);
  const std::string node = peak_node(study, *point.variant);
  if (!node.empty()) text += " while '" + printable(node) + "' runs";
  text += "; largest tensors at the peak:\n";
  for (const AliveTensor& each : largest_at_peak(study, *point.variant, tensors_of_a_point)) {
    text += "      " + with_thousands(each.bytes) + " B  " + each.role + "  " +
            printable(each.name) + " " + each.shape + "\n";
  }
  return text;
}

std::string largest_text(const VariantFit& fit) {
  if (!fit.largest) {
    const bool is_known = fit.next && fit.next->variant != nullptr;
    return "nothing fits" +
           (is_known ? "; " + format_bytes(fit.next->persistent_bytes) + " are persistent"
                     : std::string());
  }
  const FitPoint& point = *fit.largest;
  if (fit.is_unlimited) {
    return "no limit found: " + peak_text(point) + " at " + std::to_string(point.value) +
           ", the largest value tried";
  }
  return std::to_string(point.value) + ", " + peak_text(point) + others_text(point) + ", " +
         time_text(point);
}

std::string variant_lines(const Study& study, const VariantFit& fit, const char* title) {
  std::string text = std::string("  ") + title + ": " + largest_text(fit) + "\n";
  if (fit.refused_value) {
    text += "    " + std::to_string(*fit.refused_value) +
            " is refused: " + to_valid_utf8(fit.refusal) + "\n";
  }
  return fit.next ? text + failing_lines(study, *fit.next) : text;
}

std::string names_text(const LargestFit& fit) {
  std::vector<std::string> names;
  for (const Dimension& each : fit.dimensions) names.push_back(printable(each.name));
  const std::string all = join(names, ", ");
  return fit.question.label.empty() ? all : printable(fit.question.label) + " (" + all + ")";
}

json point_json(const Study& study, const std::optional<FitPoint>& point) {
  if (!point) return nullptr;
  json object = {{"value", point->value}};
  if (point->variant == nullptr) {
    object["fault"] = to_valid_utf8(point->fault);
    return object;
  }
  object["peak_bytes"] = point->peak_bytes;
  object["later_peak_bytes"] = point->later_peak_bytes;
  if (point->reserved_bytes) object["reserved_bytes"] = *point->reserved_bytes;
  if (point->device) object["device_bytes"] = device_json(*point->device);
  object["host_bytes"] = point->variant->host_bytes;
  object["peak_node"] = to_valid_utf8(peak_node(study, *point->variant));
  object["resident_bytes"] = point->persistent_bytes;
  object["step_seconds"] = point->seconds;
  for (const AliveTensor& each : largest_at_peak(study, *point->variant, tensors_of_a_point)) {
    object["largest_at_peak"].push_back({{"name", to_valid_utf8(each.name)},
                                         {"shape", each.shape},
                                         {"role", each.role},
                                         {"bytes", each.bytes}});
  }
  return object;
}

json refused_json(const VariantFit& fit) {
  if (!fit.refused_value) return nullptr;
  return {{"value", *fit.refused_value}, {"reason", to_valid_utf8(fit.refusal)}};
}

json variant_json(const Study& study, const VariantFit& fit) {
  return {{"largest", point_json(study, fit.largest)},
          {"next", point_json(study, fit.next)},
          {"refused", refused_json(fit)},
          {"unlimited", fit.is_unlimited},
          {"values_tried", fit.trials}};
}

std::string limit_text(const FitQuestion& question) {
  const std::string memory = format_bytes(question.memory_bytes);
  if (question.device_bytes.value_or(question.memory_bytes) == question.memory_bytes) return memory;
  return memory + ", and " + format_bytes(*question.device_bytes) + " with memory outside tensors";
}

}  // namespace

std::string fit_text(const Study& study, const LargestFit& fit,
                     const std::optional<ReplannedFit>& replanned) {
  const std::string text = "Largest " + names_text(fit) + " in " + limit_text(fit.question) +
                           ", predicted:\n" + variant_lines(study, fit.baseline, "Before") +
                           variant_lines(study, fit.current, "After");
  if (replanned) return text + replanned_text(*replanned);
  return text +
         "  \"After\" is with the plans that are on; other plans may allow more "
         "(--fit-replan makes a plan for each size).\n";
}

json fit_json(const Study& study, const LargestFit& fit,
              const std::optional<ReplannedFit>& replanned) {
  json dims = json::array();
  for (const Dimension& each : fit.dimensions) dims.push_back(to_valid_utf8(each.name));
  json object = {{"label", to_valid_utf8(fit.question.label)},
                 {"dims", dims},
                 {"memory_bytes", fit.question.memory_bytes},
                 {"baseline", variant_json(study, fit.baseline)},
                 {"current", variant_json(study, fit.current)}};
  if (fit.question.device_bytes) object["device_limit_bytes"] = *fit.question.device_bytes;
  if (replanned) object["replanned"] = replanned_json(*replanned);
  return object;
}

}  // namespace stashscope
