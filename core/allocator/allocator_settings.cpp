#include "core/allocator/allocator_settings.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"

namespace stashscope {

namespace {

constexpr std::int64_t bytes_a_mebibyte = 1 << 20;
constexpr int first_power = 20;  // the first interval of sizes ends at 2 MiB

[[noreturn]] void fail_setting(std::string_view text, const std::string& why,
                               const std::string& hint) {
  fail_usage("allocator setting '" + printable(std::string(text)) + "'", why, hint);
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

bool truth_in(std::string_view name, std::string_view value) {
  if (value == "True" || value == "true" || value == "1") return true;
  if (value == "False" || value == "false" || value == "0") return false;
  fail_setting(name, "is neither True nor False", "write for example expandable_segments:True");
}

/// Reads a size in MiB and returns it in bytes. Refuses sizes below 20 MiB, the size of a large
/// segment.
std::int64_t large_bytes_in(const std::string& name, std::string_view value) {
  const auto mebibytes = number_in<std::int64_t>(value);
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (!mebibytes || *mebibytes < 20 || *mebibytes > most) {
    fail_setting(name, "is not a whole number of MiB, at least 20",
                 "write for example " + name + ":128");
  }
  return *mebibytes * bytes_a_mebibyte;
}

double threshold_in(std::string_view name, std::string_view value) {
  const auto threshold = number_in<double>(value);
  if (!threshold || !(*threshold > 0) || !(*threshold < 1)) {
    fail_setting(name, "is not a number between 0 and 1",
                 "write for example garbage_collection_threshold:0.8");
  }
  return *threshold;
}

std::uint32_t divisions_in(std::string_view name, std::string_view value) {
  const auto divisions = number_in<std::uint32_t>(value);
  const bool is_valid =
      divisions && (*divisions == 0 || std::has_single_bit(*divisions)) && *divisions <= (1U << 16);
  if (!is_valid) {
    fail_setting(name, "is neither 0 nor a power of two up to 65536",
                 "write for example roundup_power2_divisions:8 or "
                 "roundup_power2_divisions:[256:1,512:2,1024:4,>:8]");
  }
  return *divisions;
}

std::size_t interval_of(std::int64_t bytes) {
  const int power = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))) - 1;
  return static_cast<std::size_t>(
      std::clamp<int>(power - first_power, 0, AllocatorSettings().roundup_divisions.size() - 1));
}

/// Reads a list such as `256:1,512:2,>:8`: for each size in MiB, the number of divisions. As in
/// PyTorch, the number after `>` also replaces the number of the last size before it.
void read_divisions(std::string_view name, std::string_view list, AllocatorSettings& settings) {
  auto& divisions = settings.roundup_divisions;
  std::size_t last = 0;
  bool is_first = true;
  for (const std::string& entry : split(list, ',')) {
    const auto colon = entry.find(':');
    const std::string limit = trimmed(entry.substr(0, colon));
    const std::string value = colon == std::string::npos ? "" : trimmed(entry.substr(colon + 1));
    const std::uint32_t count = divisions_in(name, value);
    if (limit == ">") {
      std::fill(divisions.begin() + static_cast<std::ptrdiff_t>(last), divisions.end(), count);
      continue;
    }
    const auto mebibytes = number_in<std::uint32_t>(limit);
    if (!mebibytes || !std::has_single_bit(*mebibytes)) {
      fail_setting(name, "has a size that is not a power of two in MiB",
                   "write for example roundup_power2_divisions:[256:1,512:2,1024:4,>:8]");
    }
    last = interval_of(*mebibytes * bytes_a_mebibyte);
    if (is_first) std::fill_n(divisions.begin(), last, count);
    divisions[last] = count;
    is_first = false;
  }
}

struct Setting {
  std::string name;
  std::string value;  ///< a list without its brackets
  bool is_list = false;
};

/// Takes the first setting from the text.
Setting take_setting(std::string_view& text) {
  const auto colon = text.find_first_of(":=");
  if (colon == std::string_view::npos) {
    fail_setting(text, "has no value", "write SETTING:VALUE, separated by commas");
  }
  Setting setting{trimmed(text.substr(0, colon)), {}, false};
  text.remove_prefix(std::min(text.find_first_not_of(' ', colon + 1), text.size()));
  setting.is_list = text.starts_with('[');
  if (setting.is_list) text.remove_prefix(1);
  const auto end = text.find(setting.is_list ? ']' : ',');
  if (setting.is_list && end == std::string_view::npos) {
    fail_setting(setting.name, "has a list without ']'", "write the list as [256:1,>:8]");
  }
  setting.value = trimmed(text.substr(0, end));
  const auto comma = end == std::string_view::npos ? end : text.find(',', end);
  text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  return setting;
}

/// Settings of PyTorch that do not decide where tensors are placed.
bool is_without_effect(std::string_view name) {
  constexpr std::string_view names[] = {
      "release_lock_on_cudamalloc",       "release_lock_on_hipmalloc",
      "pinned_use_cuda_host_register",    "pinned_use_hip_host_register",
      "pinned_num_register_threads",      "pinned_use_background_threads",
      "graph_capture_record_stream_reuse"};
  return std::ranges::find(names, name) != std::end(names);
}

void read_setting(const Setting& setting, AllocatorSettings& settings) {
  const auto& [name, value, is_list] = setting;
  if (name == "max_split_size_mb") {
    settings.max_split_bytes = large_bytes_in(name, value);
  } else if (name == "max_non_split_rounding_mb") {
    settings.unsplit_slack_bytes = large_bytes_in(name, value);
  } else if (name == "expandable_segments") {
    settings.expandable_segments = truth_in(name, value);
  } else if (name == "backend") {
    if (value != "native") {
      fail_setting(name + ":" + value, "is another allocator, whose rules are not known",
                   "choose backend:native or leave the setting out");
    }
  } else if (name == "garbage_collection_threshold") {
    settings.garbage_collection_threshold = threshold_in(name, value);
  } else if (name == "roundup_power2_divisions") {
    if (is_list) return read_divisions(name, value, settings);
    settings.roundup_divisions.fill(divisions_in(name, value));
  } else if (!is_without_effect(name)) {
    fail_setting(name, "is not known",
                 "choose among expandable_segments, max_split_size_mb, max_non_split_rounding_mb, "
                 "roundup_power2_divisions and garbage_collection_threshold");
  }
}

std::string divisions_text(const AllocatorSettings& settings) {
  const auto& divisions = settings.roundup_divisions;
  if (std::ranges::all_of(divisions, [&](std::uint32_t each) { return each == divisions[0]; })) {
    return std::to_string(divisions[0]);
  }
  // The list is written without an entry for `>`, because PyTorch would use the number of this
  // entry for the size before it, too.
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < divisions.size(); ++i) {
    entries.push_back(std::to_string(std::int64_t{1} << i) + ":" + std::to_string(divisions[i]));
  }
  return "[" + join(entries, ",") + "]";
}

}  // namespace

AllocatorSettings parse_allocator_settings(std::string_view text) {
  AllocatorSettings settings;
  while (!trimmed(text).empty()) {
    read_setting(take_setting(text), settings);
  }
  return settings;
}

std::string to_string(const AllocatorSettings& settings) {
  std::vector<std::string> parts;
  if (settings.expandable_segments) parts.emplace_back("expandable_segments:True");
  if (settings.max_split_bytes) {
    parts.push_back("max_split_size_mb:" +
                    std::to_string(*settings.max_split_bytes / bytes_a_mebibyte));
  }
  if (settings.unsplit_slack_bytes != AllocatorSettings().unsplit_slack_bytes) {
    parts.push_back("max_non_split_rounding_mb:" +
                    std::to_string(settings.unsplit_slack_bytes / bytes_a_mebibyte));
  }
  if (settings.roundup_divisions != AllocatorSettings().roundup_divisions) {
    parts.push_back("roundup_power2_divisions:" + divisions_text(settings));
  }
  if (settings.garbage_collection_threshold > 0) {
    parts.push_back("garbage_collection_threshold:" +
                    format_number(settings.garbage_collection_threshold));
  }
  return join(parts, ",");
}

std::int64_t rounded_bytes(std::int64_t bytes, const AllocatorSettings& settings) {
  if (bytes < least_block_bytes) return least_block_bytes;
  const std::int64_t divisions = settings.roundup_divisions[interval_of(bytes)];
  if (divisions <= 1 || bytes <= least_block_bytes * divisions) {
    return rounded_up(bytes, least_block_bytes);
  }
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
  const std::int64_t part = power / divisions;
  return rounded_up(bytes, part);
}

}  // namespace stashscope
