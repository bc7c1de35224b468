#include "core/recompute/config.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr const char* hint = "for example BiasGelu+:1:-1,Cast+:2:3";

/// Accepts only digits with an optional minus sign, like ONNX Runtime's conversion.
int parse_int(const std::string& text) {
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc() || end != text.data() + text.size()) {
    fail_usage("", "Fail to convert to int from string: " + printable(text));
  }
  return number;
}

/// The parts between separators, without empty parts.
std::vector<std::string> nonempty_parts(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::string& part : split(text, separator)) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
  return parts;
}

bool is_operator(const std::string& key) { return !key.ends_with('+'); }

/// Adds an entry such as `Gelu:1` or `Dropout:0`.
void add_operator(const std::vector<std::string>& parts, RecomputeConfig& config) {
  const int type = parse_int(parts[1]);
  if (type < 0 || type > 1) {
    fail_usage("", "Invalid optimization type specified for operator: " + printable(parts[0]),
               "choose 0 to keep its outputs or 1 to recompute them");
  }
  config[parts[0]] = {static_cast<PlanType>(type), -1, true};
}

void add_entry(const std::string& entry, RecomputeConfig& config) {
  const std::vector<std::string> parts = nonempty_parts(entry, ':');
  if (parts.size() == 2 && is_operator(parts[0])) return add_operator(parts, config);
  if (parts.size() != 3) {
    fail_usage(
        "",
        "User config should be in the format of SubgraphStr:OptimizationType:RequestApplyCount.",
        hint);
  }
  const int type = parse_int(parts[1]);
  const int count = parse_int(parts[2]);
  const int last_type =
      static_cast<int>(is_operator(parts[0]) ? PlanType::region : PlanType::compromise);
  if (type < 0 || type > last_type) {
    fail_usage("", "Invalid optimization type specified for subgraph: " + printable(parts[0]));
  }
  if (count < -1) {
    fail_usage("", "Invalid requested_apply_count specified for subgraph: " + parts[2]);
  }
  config[parts[0]] = {static_cast<PlanType>(type), count};
}

void add_entries(const std::string& text, RecomputeConfig& config) {
  for (const std::string& entry : nonempty_parts(text, ',')) add_entry(entry, config);
}

/// A JSON file holds a list of config strings.
void add_json(const std::string& text, RecomputeConfig& config) {
  const auto list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) {
    fail_input("", "is not a JSON list of config strings", "for example [\"BiasGelu+:1:-1\"]");
  }
  for (const auto& item : list) {
    if (!item.is_string()) fail_input("", "contains an entry that is not a string");
    add_entries(item.get<std::string>(), config);
  }
}

/// Quotes cluster names, because a session file may hold names that contain shell commands.
std::string quoted_for_shell(const std::string& text) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_.+:,-").find(c) != std::string_view::npos;
  };
  if (std::all_of(text.begin(), text.end(), is_plain)) return "\"" + text + "\"";
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string level_line(int level) {
  return "export ORTMODULE_MEMORY_OPT_LEVEL=" + std::to_string(level) + "\n";
}

std::string config_line(const std::string& text) {
  return "export ORTMODULE_MEMORY_OPT_CONFIG=" + quoted_for_shell(text) + "\n";
}

std::string comment_lines(const std::vector<std::string>& comments) {
  std::string lines;
  for (const std::string& each : comments) lines += "# " + each + "\n";
  return lines;
}

}  // namespace

RecomputeSearchOptions parse_search_options(const std::string& text) {
  if (text.empty()) return {0, false};
  const std::vector<std::string> parts = nonempty_parts(text, ':');
  if (parts.empty()) fail_usage("", "Probe config information is not complete.");
  RecomputeSearchOptions search;
  search.level = parse_int(parts[0]);
  if (search.level < 0 || search.level > 1) {
    fail_usage("", "Invalid probe level specified: " + parts[0]);
  }
  const int boundary = parts.size() > 1 ? parse_int(parts[1]) : 0;
  if (boundary < 0 || boundary > 1) {
    fail_usage("", "Invalid transformer_layer_as_boundary specified: " + parts[1]);
  }
  search.layer_boundary = boundary == 1;
  return search;
}

std::string to_string(const RecomputeSearchOptions& search) {
  return std::to_string(search.level) + ":" + (search.layer_boundary ? "1" : "0");
}

ElementType parse_compressed(const std::string& name) {
  std::vector<std::string> names;
  for (const ElementType each : {ElementType::float16, ElementType::bfloat16,
                                 ElementType::float8e4m3fn, ElementType::float8e5m2}) {
    if (name == name_of(each)) return each;
    names.emplace_back(name_of(each));
  }
  fail_usage("'" + printable(name) + "'", "is not a type that compress supports",
             "choose one of " + join(names, ", "));
}

RecomputeConfig parse_config(const std::string& text) {
  RecomputeConfig config;
  add_entries(text, config);
  return config;
}

void add_config_argument(const std::string& argument, RecomputeConfig& config) {
  if (!argument.starts_with('@')) return add_entries(argument, config);
  const std::string path = argument.substr(1);
  std::string text = read_file(path);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);  // UTF-8 byte order mark
  text = trimmed(text);
  try {
    if (text.starts_with('[') || text.starts_with('{')) return add_json(text, config);
    for (const std::string& line : split(text, '\n')) add_entries(trimmed(line), config);
  } catch (const Error& error) {
    // Invalid text in a file is an input error, not a usage error.
    throw Error(ErrorKind::input, error.where(), error.reason(), error.hint())
        .within(printable(path));
  }
}

std::string to_string(const std::string& cluster, const ClusterChoice& choice) {
  const std::string typed = cluster + ":" + std::to_string(static_cast<int>(choice.type));
  return choice.of_operator ? typed : typed + ":" + std::to_string(choice.count);
}

std::string to_string(const RecomputeConfig& config) {
  std::vector<std::string> entries;
  for (const auto& [cluster, choice] : config) entries.push_back(to_string(cluster, choice));
  return join(entries, ",");
}

namespace {

template <class Condition>
RecomputeConfig part_of(const RecomputeConfig& config, Condition wanted) {
  RecomputeConfig part;
  for (const auto& entry : config) {
    if (wanted(entry.second)) part.insert(entry);
  }
  return part;
}

bool is_known_to_reference(const ClusterChoice& choice) {
  return in_reference(choice.type) && !choice.of_operator;
}

}  // namespace

RecomputeConfig reference_part(const RecomputeConfig& config) {
  return part_of(config, is_known_to_reference);
}

RecomputeConfig own_part(const RecomputeConfig& config) {
  return part_of(config,
                 [](const ClusterChoice& choice) { return !is_known_to_reference(choice); });
}

RecomputeConfig offloads_in(const RecomputeConfig& config) {
  return part_of(config,
                 [](const ClusterChoice& choice) { return choice.type == PlanType::offload; });
}

std::set<std::string> regions_in(const RecomputeConfig& config) {
  std::set<std::string> names;
  for (const auto& [name, choice] : config) {
    if (choice.type == PlanType::region) names.insert(name);
  }
  return names;
}

std::string environment_block(const RecomputeConfig& config, const RecomputeSearchOptions& search,
                              const std::vector<std::string>& comments) {
  return level_line(0) + config_line(to_string(config)) +
         "export ORTMODULE_MEMORY_OPT_PROBE_RECOMPUTE_LEVEL=" + to_string(search) + "\n" +
         comment_lines(comments);
}

std::string environment_block(const std::string& path, const std::vector<std::string>& comments) {
  return level_line(0) + config_line(path) + comment_lines(comments);
}

std::string environment_block(int level, const std::vector<std::string>& comments) {
  return level_line(level) + comment_lines(comments);
}

std::string config_list(const RecomputeConfig& config) {
  nlohmann::json entries = nlohmann::json::array();
  for (const auto& [cluster, choice] : config) {
    if (to_valid_utf8(cluster) != cluster) {
      fail_input("plan '" + printable(cluster) + "'",
                 "is not valid UTF-8, so no config file can hold it",
                 "rename the operators of the model");
    }
    entries.push_back(to_string(cluster, choice));
  }
  return entries.dump();
}

bool is_config_list(const std::string& text) {
  const auto list = nlohmann::json::parse(text, nullptr, false);
  return list.is_array() &&
         std::ranges::all_of(list, [](const nlohmann::json& entry) { return entry.is_string(); });
}

}  // namespace stashscope
