#include "core/report/tables.h"

#include <algorithm>

#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::size_t frequency_width = 7;
constexpr std::size_t text_width = 127;
constexpr const char* title =
    " Memory Optimization Opportunities (Clustered by node-level activation patterns)";

std::string padded(std::string text, std::size_t width) {
  // Counts characters, not bytes: names may be any UTF-8 text.
  std::size_t length = 0;
  for (const char c : text) length += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  if (length < width) text.append(width - length, ' ');
  return text;
}

std::string line(const std::string& frequency, const std::string& text, std::size_t width) {
  return "|" + padded(frequency, frequency_width) + "|" + padded(text, width) + "|\n";
}

std::string rule(std::size_t width) {
  std::string dashes = "|_ _ _ _|";
  for (std::size_t i = 0; i < width; i += 2) dashes += "_ ";
  dashes.resize(frequency_width + 2 + width, '_');
  return dashes + "|\n";
}

std::string shape_text(const Graph& graph, const StashedOutput& stashed, bool as_product) {
  if (!stashed.shape_known) return as_product ? "[unknown]" : "unknown";
  if (as_product) return "[" + element_count_text(graph, stashed.shape) + "]";
  std::string text = "[";
  for (const Expr& dim : stashed.shape) text += dim_text(graph, dim) + " x ";
  return text + "]";
}

std::string status_text(const ClusterOption& option, bool gives_hint) {
  if (!option.requested && !gives_hint) return "Disabled.";
  if (!option.requested) {
    return "Disabled. Enable with export ORTMODULE_MEMORY_OPT_CONFIG=" +
           to_valid_utf8(to_string(option.cluster, {option.type, -1}));
  }
  return "Enabled, requested count=" + std::to_string(*option.requested) +
         ", actual applied count=" + std::to_string(option.applied);
}

std::vector<std::string> option_lines(const Graph& graph, const ClusterOption& option,
                                      std::size_t number, const ReferenceRules& rules) {
  const char* const kind =
      option.type == PlanType::compromise ? "RecomputeWithCompromise" : "Recompute";
  std::vector<std::string> lines = {
      ">>" + padded("Option " + std::to_string(number), rules.label_columns) + ": " + kind +
          " subgraph " + to_valid_utf8(option.cluster),
      "  " + padded("Status", rules.label_columns) + ": " +
          status_text(option, !rules.prints_products),
      "  Stashed Activations:"};
  if (!option.reuse_frequency.empty()) {
    std::string reuse = "   - ReuseFreq :  ";
    for (const auto& [output, count] : option.reuse_frequency) {
      reuse += "Output " + std::to_string(output) + "(" + std::to_string(count) + "), ";
    }
    lines.push_back(reuse);
  }
  for (const StashedOutput& each : option.stashed) {
    lines.push_back("   - " + padded("Output " + std::to_string(each.output), 10) + ": " +
                    shape_text(graph, each, rules.prints_products) +
                    ", byte/elem: " + std::to_string(each.bytes_per_element) + ", " +
                    std::to_string(each.saved_percent) + "% saved");
  }
  return lines;
}

std::vector<std::string> row_lines(const Graph& graph, const ClusterRow& row,
                                   const ReferenceRules& rules) {
  std::vector<std::string> lines = {
      "For each row options are mutually exclusive, only one of them can be enabled."};
  for (std::size_t i = 0; i < row.options.size(); ++i) {
    lines.emplace_back();
    for (std::string& text : option_lines(graph, row.options[i], i + 1, rules)) {
      lines.push_back(std::move(text));
    }
  }
  return lines;
}

std::string headline(const RecomputeConfig& config, const ReferenceRules& rules) {
  const std::string text = to_valid_utf8(to_string(config));
  const bool is_missing = text.empty() && rules.reads_config_file;
  return "MemoryInsight Summary - User config" +
         (is_missing ? " file path: not provided" : ": " + text) + "\n";
}

}  // namespace

std::string plan_table_text(const std::vector<PlanRow>& rows) {
  std::size_t config_width = 6;
  std::vector<std::string> configs;
  for (const PlanRow& row : rows) {
    configs.push_back(to_valid_utf8(row.config));
    config_width = std::max(config_width, configs.back().size());
  }
  std::string text = padded("", 27) + padded("Config", config_width + 2) + padded("Freq", 6) +
                     padded("Saving(B)", 16) + "Saving Symbolic(Bytes)\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const PlanRow& row = rows[i];
    text += " - " + padded("Plan " + std::to_string(i + 1), 18) + ": " +
            (row.on ? "ON  : " : "OFF : ") + padded(configs[i], config_width + 1) + " " +
            padded(std::to_string(row.frequency), 5) + " " +
            padded(with_thousands(row.saving_bytes), 15) + " " +
            to_valid_utf8(row.saving_symbolic) + "\n";
  }
  return text;
}

std::string cluster_table_text(const Graph& graph, const std::vector<ClusterRow>& rows,
                               const RecomputeConfig& config, const ReferenceRules& rules) {
  std::vector<std::vector<std::string>> lines;
  std::size_t width = rules.prints_products ? std::string_view(title).size() : text_width;
  for (const ClusterRow& row : rows) {
    lines.push_back(row_lines(graph, row, rules));
    for (const std::string& each : lines.back()) width = std::max(width, each.size());
  }
  if (rules.prints_products) width += 1 + width % 2;
  std::string text = headline(config, rules);
  const std::string border = std::string(frequency_width + width + 3, '=') + "\n";
  text += border;
  text += line("Freq", title, width);
  text += rule(width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string frequency = std::to_string(rows[i].nodes.size());
    for (const std::string& each : lines[i]) {
      text += line(frequency, each, width);
      frequency.clear();
    }
    text += rule(width);
  }
  return text + border + "Note: use comma as a separator for enabling more than one subgraphs.\n";
}

}  // namespace stashscope
