#pragma once

#include <cmath>
#include <cstdint>

namespace stashscope {

/// Limits on the numbers of a measurement from any source. Within these limits, the sum of a few
/// numbers of bytes fits into 64 bits, and times are finite.
constexpr std::int64_t most_measured_bytes = std::int64_t{1} << 60;
constexpr double most_measured_seconds = 1e9;

constexpr bool is_measured_size(std::int64_t bytes) {
  return bytes >= 0 && bytes <= most_measured_bytes;
}

inline bool is_measured_time(double seconds) {
  return std::isfinite(seconds) && seconds >= 0 && seconds <= most_measured_seconds;
}

}  // namespace stashscope
