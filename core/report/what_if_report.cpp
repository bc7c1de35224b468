#include "core/report/what_if_report.h"

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

namespace {

/// Limit on the unchanged places of one what-if that are listed one by one.
constexpr std::size_t most_stops = 5;

std::string change_of(std::int64_t saved) {
  return saved < 0 ? format_bytes(-saved) + " more" : format_bytes(saved) + " saved";
}

std::string seconds_text(double seconds) {
  if (seconds == 0) return "the time does not change";
  return seconds > 0 ? format_seconds(seconds) + " slower" : format_seconds(-seconds) + " faster";
}

std::string stop_lines(const std::vector<WhatIfStop>& stops) {
  std::string text;
  for (std::size_t i = 0; i < stops.size() && i < most_stops; ++i) {
    text += "    not changed: " + stops[i].node + " " + stops[i].reason + "\n";
  }
  if (stops.size() > most_stops) {
    text += "    not changed: " + counted(stops.size() - most_stops, "more place", "more places") +
            "; --format json lists all\n";
  }
  return text;
}

std::string saving_lines(const WhatIfSaving& each) {
  const WhatIfResult& result = each.result;
  std::string line = "  " + result.name + "=" + result.value + ": ";
  line += result.changed == 0
              ? "changes nothing"
              : counted(result.changed, "place", "places") + "; peak " +
                    change_of(each.peak_bytes_saved) +
                    (each.is_without_plans ? " without plans; stashed " : "; stashed ") +
                    change_of(each.stashed_bytes_saved) + " (" + each.symbolic_saved + "); " +
                    seconds_text(each.seconds);
  return line + "\n" + stop_lines(result.stopped_by);
}

}  // namespace

std::string what_if_lines(const std::string& title, const std::vector<WhatIfSaving>& savings) {
  if (savings.empty()) return "";
  std::string text = title + "\n";
  for (const WhatIfSaving& each : savings) text += saving_lines(each);
  return text;
}

nlohmann::json what_ifs_json(const std::vector<WhatIfSaving>& savings) {
  nlohmann::json list = nlohmann::json::array();
  for (const WhatIfSaving& each : savings) {
    nlohmann::json stops = nlohmann::json::array();
    for (const WhatIfStop& stop : each.result.stopped_by) {
      stops.push_back({{"node", stop.node}, {"reason", stop.reason}});
    }
    list.push_back({{"name", each.result.name},
                    {"value", each.result.value},
                    {"found", each.result.found},
                    {"changed", each.result.changed},
                    {"stopped_by", std::move(stops)},
                    {"saving_bytes", each.stashed_bytes_saved},
                    {"saving_symbolic", each.symbolic_saved},
                    {"saving_at_peak_bytes", each.peak_bytes_saved},
                    {"seconds", each.seconds},
                    {"without_plans", each.is_without_plans}});
  }
  return list;
}

}  // namespace stashscope
