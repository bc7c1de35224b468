#include "core/report/check/check_texts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::size_t most_changes = 10;

std::string title_of(CheckedFigure figure) {
  switch (figure) {
    case CheckedFigure::peak:
      return "peak";
    case CheckedFigure::reserved:
      return "reserved";
    case CheckedFigure::stashed:
      return "stashed";
  }
  return {};
}

std::string title_of(const MemoryLimit& limit) {
  const std::string figure = title_of(limit.figure);
  if (!limit.module.empty()) return figure + " of " + printable(limit.module);
  return limit.most_bytes ? figure : figure + ", growth";
}

/// A text in a cell of a Markdown table.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char each : printable(text)) {
    if (std::string_view("|\\`*_<>").find(each) != std::string_view::npos) safe += '\\';
    safe += each;
  }
  return safe;
}

std::string verdict_of(const CheckResult& result) {
  const auto broken = std::ranges::count_if(result.limits, &LimitResult::is_broken);
  if (broken == 0) return "all limits are met";
  return counted(static_cast<std::size_t>(broken), "limit is", "limits are") + " broken";
}

std::string limits_table(const CheckResult& result) {
  const bool has_baseline = std::ranges::any_of(
      result.limits, [](const LimitResult& each) { return each.baseline_bytes.has_value(); });
  std::string text = "| limit | allowed | now |";
  text += has_baseline ? " change | |\n|---|---:|---:|---:|---|\n" : " |\n|---|---:|---:|---|\n";
  for (const LimitResult& each : result.limits) {
    text += "| " + cell(title_of(each.limit)) + " | " + exact_bytes(each.most_bytes) + " | " +
            exact_bytes(each.bytes) + " |";
    if (has_baseline) {
      text += " " +
              (each.baseline_bytes ? signed_bytes(each.bytes - *each.baseline_bytes)
                                   : std::string("unknown")) +
              " |";
    }
    text += each.is_broken ? " **broken** by " + format_bytes(each.bytes - each.most_bytes) + " |\n"
                           : " met |\n";
  }
  return text;
}

std::string state_of(const TensorChange& change) {
  if (change.before_bytes == 0) return "new at the peak";
  return change.after_bytes == 0 ? "no longer at the peak" : "";
}

std::string changes_table(const CheckResult& result) {
  if (result.changes.empty()) return "";
  std::string text =
      "\nTensors at the peak that changed most since the baseline:\n\n"
      "| tensor | before | now | change | |\n|---|---:|---:|---:|---|\n";
  const std::size_t count = std::min(most_changes, result.changes.size());
  for (std::size_t i = 0; i < count; ++i) {
    const TensorChange& each = result.changes[i];
    text += "| " + cell(each.name) + " | " + format_bytes(each.before_bytes) + " | " +
            format_bytes(each.after_bytes) + " | " +
            signed_bytes(each.after_bytes - each.before_bytes) + " | " + state_of(each) + " |\n";
  }
  const std::size_t more = result.changes.size() - count;
  return more == 0 ? text : text + "\nand " + std::to_string(more) + " more\n";
}

std::string failure_text(const LimitResult& each) {
  return title_of(each.limit) + ": " + exact_bytes(each.bytes) + " is more than the allowed " +
         exact_bytes(each.most_bytes);
}

json limit_json(const LimitResult& each) {
  return {{"figure", name_of(each.limit.figure)},
          {"module", to_valid_utf8(each.limit.module)},
          {"growth", !each.limit.most_bytes.has_value()},
          {"bytes", each.bytes},
          {"most_bytes", each.most_bytes},
          {"baseline_bytes", each.baseline_bytes ? json(*each.baseline_bytes) : json()},
          {"broken", each.is_broken}};
}

}  // namespace

std::string check_markdown(const CheckResult& result, const std::string& model) {
  return "## Memory of " + cell(model) + ": " + verdict_of(result) + "\n\n" + limits_table(result) +
         changes_table(result);
}

std::string check_junit(const CheckResult& result, const std::string& model) {
  const auto broken = std::ranges::count_if(result.limits, &LimitResult::is_broken);
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"memory of " +
                     xml_escaped(model) + "\" tests=\"" + std::to_string(result.limits.size()) +
                     "\" failures=\"" + std::to_string(broken) + "\">\n";
  for (const LimitResult& each : result.limits) {
    text += "  <testcase classname=\"memory\" name=\"" + xml_escaped(title_of(each.limit)) + "\"";
    text += each.is_broken ? ">\n    <failure message=\"" + xml_escaped(failure_text(each)) +
                                 "\"/>\n  </testcase>\n"
                           : "/>\n";
  }
  return text + "</testsuite>\n";
}

std::string check_json(const CheckResult& result) {
  json limits = json::array();
  for (const LimitResult& each : result.limits) limits.push_back(limit_json(each));
  json changes = json::array();
  for (const TensorChange& each : result.changes) {
    changes.push_back({{"name", to_valid_utf8(each.name)},
                       {"before_bytes", each.before_bytes},
                       {"after_bytes", each.after_bytes}});
  }
  return json({{"broken", result.is_broken()}, {"limits", limits}, {"changes", changes}}).dump(1) +
         "\n";
}

}  // namespace stashscope
