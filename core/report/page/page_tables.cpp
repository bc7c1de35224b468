#include "core/report/page/page_tables.h"

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/base/units.h"
#include "core/study/facts/plan_facts.h"
#include "core/study/facts/plan_words.h"

namespace stashscope {

namespace {

using nlohmann::json;

/// The tensors that the occurrences of a row free, as indices into the page's list of tensors.
json freed_tensors(const Study& study, const PlanRow& row, const PageTensors& tensors) {
  std::set<std::size_t> entries;
  if (row.occurrences == nullptr) return entries;
  for (const Occurrence& occurrence : *row.occurrences) {
    for (const NodePlan* const part : occurrence.parts) {
      for (const ValueId value : freed_by(study.graph(), *part)) {
        const BufferId buffer = study.current->timeline.buffer_of[value];
        if (!buffer.valid()) continue;
        const std::vector<std::size_t>& of_buffer = tensors.entries_of[buffer];
        entries.insert(of_buffer.begin(), of_buffer.end());
      }
    }
  }
  return entries;
}

json plan_json(const Study& study, const PlanRow& row, const std::string& name) {
  return {{"name", to_valid_utf8(name)},
          {"config", to_valid_utf8(row.config)},
          {"strategy", std::string(strategy_of(row.type).name)},
          {"frequency", row.frequency},
          {"saving_bytes", row.saving_bytes},
          {"bytes_at_peak", row.bytes_at_peak},
          {"saving_symbolic", to_valid_utf8(row.saving_symbolic)},
          {"extra_seconds", row.cost.seconds},
          {"extra_percent",
           100 * row.cost.seconds / std::max(step_seconds(study, *study.baseline), 1e-300)},
          {"on", row.on},
          {"applied", row.applied}};
}

std::string cell(const std::string& label, const std::string& html) {
  return "<td data-label=\"" + label + "\">" + html + "</td>";
}

/// A table cell for a number. The page's script sorts the rows by the exact numbers in
/// `data-value`.
std::string number_cell(const std::string& label, const json& value, const std::string& text,
                        const std::string& tip = "") {
  return "<td class=\"number\" data-label=\"" + label + "\" data-value=\"" + value.dump() + "\"" +
         (tip.empty() ? "" : " title=\"" + tip + "\"") + ">" + text + "</td>";
}

std::string bytes_cell(const std::string& label, const json& row, const char* key) {
  const auto bytes = row[key].get<std::int64_t>();
  return number_cell(label, bytes, format_bytes(bytes), with_thousands(bytes) + " B");
}

std::string text_of(const json& row, const char* key) {
  return xml_escaped(row[key].get<std::string>());
}

std::string table_start(const std::vector<const char*>& titles) {
  std::string head = "<thead><tr>";
  for (const char* const title : titles)
    head += "<th scope=\"col\">" + std::string(title) + "</th>";
  return head + "</tr></thead>\n<tbody>\n";
}

std::string state_text(const json& row) {
  if (!row["on"].get<bool>()) return "off";
  const int applied = row["applied"].get<int>();
  const int frequency = row["frequency"].get<int>();
  if (applied == frequency) return "on";
  return "on, " + std::to_string(applied) + " of " + std::to_string(frequency);
}

}  // namespace

json page_plans(const Study& study, const PageLimits& limits) {
  const std::vector<std::string> names = plan_names(study);
  json plans = json::array();
  for (std::size_t i = 0; i < std::min(plan_rows(study), limits.rows); ++i) {
    plans.push_back(plan_json(study, plan_row(study, i), names[i]));
  }
  return plans;
}

void add_freed_tensors(const Study& study, const PageTensors& tensors, json& plans) {
  for (std::size_t i = 0; i < plans.size(); ++i) {
    plans[i]["tensors"] = freed_tensors(study, plan_row(study, i), tensors);
  }
}

json page_modules(const Study& study, const std::vector<ModuleMemory>& modules,
                  const PageLimits& limits) {
  const auto peak =
      static_cast<double>(std::max<std::int64_t>(study.current->timeline.peak_bytes, 1));
  json rows = json::array();
  for (std::size_t i = 0; i < std::min(modules.size(), limits.rows); ++i) {
    const ModuleMemory& each = modules[i];
    rows.push_back({{"module", to_valid_utf8(each.module)},
                    {"is_rest", each.is_rest},
                    {"peak_bytes", each.peak_bytes},
                    {"peak_share", 100 * static_cast<double>(each.peak_bytes) / peak},
                    {"peak_symbolic", to_valid_utf8(each.symbolic)},
                    {"stashed_at_peak_bytes", each.stashed_at_peak},
                    {"seconds", each.seconds}});
  }
  return rows;
}

std::string plans_table(const json& plans) {
  std::string html = table_start({"State", "Plan", "Uses", "Saves", "Saves at the peak",
                                  "Extra time", "Config", "Saved bytes, symbolic"});
  for (const json& row : plans) {
    const auto seconds = row["extra_seconds"].get<double>();
    html += std::string(row["on"].get<bool>() ? "<tr class=\"on\">" : "<tr>") +
            cell("State", state_text(row)) + "<th scope=\"row\">" + text_of(row, "name") + "</th>" +
            number_cell("Uses", row["frequency"], row["frequency"].dump()) +
            bytes_cell("Saves", row, "saving_bytes") +
            bytes_cell("Saves at the peak", row, "bytes_at_peak") +
            number_cell("Extra time", seconds,
                        format_seconds(seconds) + " <small>(" +
                            format_fixed(row["extra_percent"].get<double>(), 2) + " %)</small>") +
            cell("Config", "<code>" + text_of(row, "config") + "</code>") +
            cell("Symbolic", "<code>" + text_of(row, "saving_symbolic") + "</code>") + "</tr>\n";
  }
  return html + "</tbody>\n";
}

std::string modules_table(const json& modules) {
  std::string html = table_start(
      {"Module", "At the peak", "Share", "Stashed", "Time", "Bytes at the peak, symbolic"});
  for (const json& row : modules) {
    const auto seconds = row["seconds"].get<double>();
    html += "<tr><th scope=\"row\">" + text_of(row, "module") +
            (row["is_rest"].get<bool>() ? " <small>(the rest)</small>" : "") + "</th>" +
            bytes_cell("At the peak", row, "peak_bytes") +
            number_cell("Share", row["peak_share"],
                        format_fixed(row["peak_share"].get<double>(), 1) + " %") +
            bytes_cell("Stashed", row, "stashed_at_peak_bytes") +
            number_cell("Time", seconds, format_seconds(seconds)) +
            cell("Symbolic", "<code>" + text_of(row, "peak_symbolic") + "</code>") + "</tr>\n";
  }
  return html + "</tbody>\n";
}

}  // namespace stashscope
