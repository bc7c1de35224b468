#include "core/allocator/pool_settings.h"

#include <vector>

#include "core/base/error.h"
#include "core/base/text.h"

namespace stashscope {

namespace {

constexpr std::string_view threshold_name = "release_threshold";
constexpr std::string_view granularity_name = "granularity";

std::int64_t size_in(const std::string& name, const std::string& value) {
  // Sums of rounded sizes must fit 64 bits.
  constexpr std::int64_t most = std::int64_t{1} << 50;
  std::int64_t bytes = 0;
  try {
    bytes = parse_bytes(value);
  } catch (const Error& error) {
    throw error.within("pool setting '" + name + "'");
  }
  if (bytes > most) {
    fail_usage("pool setting '" + name + "'", "is more than 1 PiB", "give a smaller size");
  }
  return bytes;
}

std::int64_t granularity_in(const std::string& name, const std::string& value) {
  const std::int64_t bytes = size_in(name, value);
  if (bytes <= 0 || bytes % pool_alignment != 0) {
    fail_usage("pool setting '" + name + "'", "is not a multiple of 512 bytes above 0",
               "write for example granularity=32MiB");
  }
  return bytes;
}

void read_setting(const std::string& text, PoolSettings& settings) {
  const std::size_t equals = text.find('=');
  const std::string name = trimmed(text.substr(0, equals));
  const std::string value = equals == std::string::npos ? "" : trimmed(text.substr(equals + 1));
  if (name == threshold_name) {
    settings.release_threshold_bytes = size_in(name, value);
  } else if (name == granularity_name) {
    settings.granularity_bytes = granularity_in(name, value);
  } else {
    fail_usage("pool setting '" + printable(name) + "'", "is not known",
               "choose release_threshold=BYTES or granularity=BYTES");
  }
}

/// Such as `32MiB`, or `512` for no whole number of MiB.
std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  if (bytes == 0 || bytes % mebibyte != 0) return std::to_string(bytes);
  return std::to_string(bytes / mebibyte) + "MiB";
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
