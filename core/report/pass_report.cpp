#include "core/report/pass_report.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace stashscope {

namespace {

std::string saved(const char* what, std::int64_t before, std::int64_t after) {
  const std::string change = before < after ? format_bytes(after - before) + " more"
                                            : format_bytes(before - after) + " saved";
  return std::string(what) + " " + format_bytes(before) + " -> " + format_bytes(after) + " (" +
         change + ")";
}

std::string pass_line(const PassSaving& each) {
  const PassResult& result = each.result;
  const std::string head = "  " + result.name + ": ";
  if (result.changed == 0) return head + "found nothing to change\n";
  return head + counted(result.changed, "place", "places") + ", " +
         std::to_string(result.nodes_before) + " -> " + std::to_string(result.nodes_after) +
         " nodes; " + saved("peak", each.peak_bytes_before, each.peak_bytes_after) + "; " +
         saved("stashed", each.stashed_bytes_before, each.stashed_bytes_after) + "\n";
}

}  // namespace

std::string pass_lines(const std::vector<PassSaving>& savings) {
  if (savings.empty()) return "";
  std::string text =
      "Passes over the forward model, each applied to the result of the pass above it:\n";
  for (const PassSaving& each : savings) text += pass_line(each);
  return text;
}

nlohmann::json passes_json(const std::vector<PassSaving>& savings) {
  nlohmann::json list = nlohmann::json::array();
  for (const PassSaving& each : savings) {
    list.push_back({{"name", each.result.name},
                    {"changed", each.result.changed},
                    {"nodes_before", each.result.nodes_before},
                    {"nodes_after", each.result.nodes_after},
                    {"peak_bytes", each.peak_bytes_after},
                    {"peak_bytes_saved", each.peak_bytes_before - each.peak_bytes_after},
                    {"stashed_bytes", each.stashed_bytes_after},
                    {"stashed_bytes_saved", each.stashed_bytes_before - each.stashed_bytes_after}});
  }
  return list;
}

}  // namespace stashscope
