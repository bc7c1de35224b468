#include "core/report/memory_use.h"

#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/text.h"

namespace stashscope {

namespace {

using nlohmann::json;

}  // namespace

std::string bands_text(const BandBytes& bands) {
  const std::int64_t all = std::accumulate(bands.begin(), bands.end(), std::int64_t{0});
  std::string text;
  for (std::size_t i = 0; i < band_count; ++i) {
    if (bands[i] == 0) continue;
    const double share = 100 * static_cast<double>(bands[i]) / static_cast<double>(all);
    text += "  " + std::string(title_of(static_cast<Band>(i))) + ": " + exact_bytes(bands[i]) +
            ", " + format_fixed(share, 1) + " %\n";
  }
  return text;
}

json bands_json(const BandBytes& bands) {
  json object = json::object();
  for (std::size_t i = 0; i < band_count; ++i) {
    object[std::string(name_of(static_cast<Band>(i)))] = bands[i];
  }
  return object;
}

std::string phases_text(const std::string& title, const std::vector<MemoryPhase>& phases) {
  std::string text;
  for (const MemoryPhase& each : phases) {
    text += "  " + std::string(each.name) + ": current " + exact_bytes(each.current_bytes) +
            ", maximum " + exact_bytes(each.maximum_bytes) + "\n";
  }
  return phases.empty() ? "" : title + ":\n" + text;
}

json phases_json(const std::vector<MemoryPhase>& phases) {
  json list = json::array();
  for (const MemoryPhase& each : phases) {
    list.push_back({{"phase", each.name},
                    {"current_bytes", each.current_bytes},
                    {"maximum_bytes", each.maximum_bytes}});
  }
  return list;
}

}  // namespace stashscope
