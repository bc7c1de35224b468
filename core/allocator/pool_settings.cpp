#include "core/allocator/pool_settings.h"

#include <iterator>
#include <vector>

#include "core/base/device_bytes.h"
#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::string_view threshold_name = "release_threshold";
constexpr std::string_view granularity_name = "granularity";

std::int64_t size_in(const std::string& name, const std::string& value) {
  try {
    return parse_device_bytes(value);
  } catch (const Error& error) {
    throw error.within("pool setting '" + name + "'");
  }
}

std::int64_t granularity_in(const std::string& name, const std::string& value) {
  const std::int64_t bytes = size_in(name, value);
  if (bytes <= 0 || bytes % pool_alignment != 0) {
    fail_usage("pool setting '" + name + "'", "is not a multiple of 512 bytes above 0",
               "write for example granularity=32MiB");
  }
  return bytes;
}

void set(std::optional<std::int64_t>& setting, const std::string& name, std::int64_t bytes) {
  if (setting) fail_usage("pool setting '" + name + "'", "is given twice", "leave one of them out");
  setting = bytes;
}

void read_setting(const std::string& text, PoolSettings& settings) {
  const std::size_t equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  const std::string value = equals == std::string::npos ? "" : trimmed(text.substr(equals + 1));
  if (name == threshold_name) {
    set(settings.release_threshold_bytes, name, size_in(name, value));
  } else if (name == granularity_name) {
    set(settings.granularity_bytes, name, granularity_in(name, value));
  } else {
    fail_usage("pool setting '" + printable(name) + "'", "is not known",
               "choose release_threshold=BYTES or granularity=BYTES");
  }
}

/// The size in the largest unit that divides it: `32MiB`, `1PiB` or `512`.
std::string size_text(std::int64_t bytes) {
  constexpr const char* units[] = {"", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes > 0 && bytes % 1024 == 0 && unit + 1 < std::size(units)) {
    bytes /= 1024;
    ++unit;
  }
  return std::to_string(bytes) + units[unit];
}

void add_setting(std::string_view name, const std::optional<std::int64_t>& bytes,
                 std::vector<std::string>& parts) {
  if (bytes) parts.push_back(std::string(name) + "=" + size_text(*bytes));
}

}  // namespace

PoolSettings parse_pool_settings(std::string_view text) {
  PoolSettings settings;
  if (trimmed(text).empty()) return settings;
  for (const std::string& each : split(std::string(text), ',')) read_setting(each, settings);
  return settings;
}

std::string to_string(const PoolSettings& settings) {
  std::vector<std::string> parts;
  add_setting(threshold_name, settings.release_threshold_bytes, parts);
  add_setting(granularity_name, settings.granularity_bytes, parts);
  return join(parts, ",");
}

}  // namespace stashscope
