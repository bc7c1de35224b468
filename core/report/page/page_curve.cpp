#include "core/report/page/page_curve.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace stashscope {

namespace {

using nlohmann::json;

/// For each column, the slot with the most live bytes; the first one if several slots have the
/// most.
std::vector<std::size_t> highest_slots(const std::vector<std::int64_t>& live, std::size_t columns) {
  std::vector<std::size_t> slots;
  const std::size_t count = std::min(columns, live.size());
  for (std::size_t column = 0; column < count; ++column) {
    const auto begin = live.begin() + static_cast<std::ptrdiff_t>(column * live.size() / count);
    const auto end = live.begin() + static_cast<std::ptrdiff_t>((column + 1) * live.size() / count);
    slots.push_back(static_cast<std::size_t>(std::max_element(begin, end) - live.begin()));
  }
  return slots;
}

/// The column that holds a slot; `columns` if there is none.
std::size_t column_of(std::size_t slot, std::size_t slots, std::size_t columns) {
  std::size_t column = 0;
  while (column < columns && (column + 1) * slots / columns <= slot) ++column;
  return column;
}

json line_json(const char* name, const char* dash, const std::vector<std::int64_t>& live,
               std::size_t columns) {
  const std::vector<std::size_t> slots = highest_slots(live, columns);
  json bytes = json::array();
  for (const std::size_t slot : slots) bytes.push_back(live[slot]);
  return {{"name", name}, {"dash", dash}, {"slots", live.size()}, {"slot", slots}, {"live", bytes}};
}

json columns_json(const Study& study, const Variant& variant,
                  const std::vector<std::size_t>& slots) {
  json nodes = json::array();
  json live = json::array();
  json bands = json::array();
  for (std::size_t band = 0; band < band_count; ++band) {
    json bytes = json::array();
    for (const std::size_t slot : slots) bytes.push_back(variant.bands[slot][band]);
    bands.push_back(std::move(bytes));
  }
  for (const std::size_t slot : slots) {
    nodes.push_back(
        to_valid_utf8(name_of(study.graph(), variant.dataflow, variant.timeline.order[slot])));
    live.push_back(variant.timeline.live_bytes[slot]);
  }
  return {{"slot", slots}, {"node", nodes}, {"live", live}, {"bands", bands}};
}

json lines_json(const ReportInput& input, std::size_t columns) {
  json lines = {
      line_json("without plans", "6 4", input.study.baseline->timeline.live_bytes, columns)};
  if (!input.measured) return lines;
  const Measurement& run = input.measured->runs.current;
  lines.push_back(line_json("measured", "1 4", run.live_bytes, columns));
  if (!run.workspace_bytes.empty()) {
    lines.push_back(line_json("measured, with workspaces", "1 2", with_workspace(run), columns));
  }
  return lines;
}

}  // namespace

json page_curve(const ReportInput& input, const PageLimits& limits) {
  const Variant& variant = *input.study.current;
  const std::vector<std::int64_t>& live = variant.timeline.live_bytes;
  std::vector<std::size_t> slots = highest_slots(live, limits.columns);
  const std::size_t peak = column_of(variant.timeline.peak_slot, live.size(), slots.size());
  // An earlier slot of the column may have as many live bytes as the peak slot.
  if (peak < slots.size()) slots[peak] = variant.timeline.peak_slot;
  return {{"slots", variant.timeline.order.size()},
          {"forward_slots", variant.forward_slots},
          {"peak_column", peak},
          {"memory_bytes", memory_to_fit(input.study)},
          {"columns", columns_json(input.study, variant, slots)},
          {"lines", lines_json(input, limits.columns)}};
}

}  // namespace stashscope
