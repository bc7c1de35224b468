#include "core/report/schedule_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/report/measured_report.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/moved_order.h"

namespace stashscope {

namespace {

using nlohmann::json;

constexpr std::size_t shown_groups = 8;

std::string end_of_row(bool is_chosen) { return is_chosen ? " (chosen)\n" : "\n"; }

constexpr const char* not_computed = "computed only when chosen";

std::string fused_text(const FusionRow& row) {
  return format_bytes(*row.peak_bytes) + ", " + counted(row.fused_nodes, "node", "nodes") + " in " +
         counted(row.groups, "group", "groups");
}

/// How close the peak of an order is to the proven lower bound, and the method that found the
/// order; empty without a bound.
std::string proof_text(const OrderRow& row) {
  if (!row.bound_bytes || !row.peak_bytes) return "";
  const std::string found = " (" + row.method + ")";
  if (*row.bound_bytes == *row.peak_bytes) return ", proven to be the lowest" + found;
  const auto gap = static_cast<double>(*row.peak_bytes - *row.bound_bytes);
  const double percent = 100 * gap / static_cast<double>(*row.bound_bytes);
  return ", at most " + format_fixed(percent, percent < 1 ? 4 : 1) + " % above the lowest peak" +
         found;
}

std::string groups_text(const Study& study) {
  const auto groups = group_names(study);
  std::string text;
  for (std::size_t i = 0; i < std::min(groups.size(), shown_groups); ++i) {
    std::vector<std::string> names;
    for (const std::string& each : groups[i]) names.push_back(printable(each, 60));
    text += "  one kernel: " + join(names, ", ") + "\n";
  }
  if (groups.size() <= shown_groups) return text;
  return text + "  ... and " + counted(groups.size() - shown_groups, "more group", "more groups") +
         " (--format json lists all groups)\n";
}

}  // namespace

std::string orders_text(const Study& study) {
  std::string text = "Peak by order:\n";
  for (const OrderRow& row : order_rows(study)) {
    text += "  " + row.name + ": " +
            (row.peak_bytes ? format_bytes(*row.peak_bytes) : not_computed) +
            (row.taken.empty() ? "" : ", as " + row.taken) + proof_text(row) +
            end_of_row(row.name == order_in_force(study));
  }
  return text;
}

json orders_json(const Study& study) {
  json orders = json::array();
  for (const OrderRow& row : order_rows(study)) {
    json order = {{"name", row.name}, {"peak_bytes", nullptr}};
    if (row.peak_bytes) order["peak_bytes"] = *row.peak_bytes;
    if (!row.taken.empty()) order["taken"] = row.taken;
    if (row.bound_bytes) order["bound_bytes"] = *row.bound_bytes;
    if (!row.method.empty()) order["method"] = row.method;
    orders.push_back(std::move(order));
  }
  return orders;
}

std::string fusions_text(const Study& study, const std::vector<FusionRow>& rows) {
  std::string text = rows.empty() ? "" : "Peak by fusion:\n";
  for (const FusionRow& row : rows) {
    text += "  " + row.name + ": " + (row.peak_bytes ? fused_text(row) : not_computed) +
            end_of_row(row.name == choice_text(study.choices.fusion.strategy, no_fusion));
  }
  return text + groups_text(study);
}

json fusion_json(const Study& study, const std::vector<FusionRow>& rows) {
  json strategies = json::array();
  for (const FusionRow& row : rows) {
    strategies.push_back({{"name", row.name},
                          {"peak_bytes", row.peak_bytes ? json(*row.peak_bytes) : json()},
                          {"groups", row.groups},
                          {"fused_nodes", row.fused_nodes}});
  }
  json groups = json::array();
  for (const auto& names : group_names(study)) groups.push_back(texts_json(names));
  const FusionChoice& choice = study.choices.fusion;
  json apart = json::array();
  for (const auto& [a, b] : choice.apart) apart.push_back(texts_json({a, b}));
  return {{"chosen", choice_text(choice.strategy, no_fusion)},
          {"split", texts_json({choice.alone.begin(), choice.alone.end()})},
          {"no_merge", apart},
          {"strategies", strategies},
          {"groups", groups}};
}

}  // namespace stashscope
