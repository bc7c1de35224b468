#include "ui/memory/sweep_map.h"

#include <algorithm>
#include <cmath>

namespace stashscope::ui {

namespace {

/// Bytes at the upper edge of the chart, as a multiple of the highest value in the chart.
constexpr double room_above = 1.14;
/// Device memory above this multiple of the highest peak is not drawn, because it would flatten the
/// curves.
constexpr double farthest_memory = 2;

/// The first of 1, 2, 5, 10, 20, ... that is at least `wanted`.
std::int64_t round_distance(double wanted) {
  for (std::int64_t power = 1; power < std::int64_t{1} << 58; power *= 10) {
    for (const std::int64_t digit : {1, 2, 5}) {
      if (static_cast<double>(digit * power) >= wanted) return digit * power;
    }
  }
  return std::int64_t{1} << 60;
}

}  // namespace

double SweepMap::x_of(std::int64_t value) const {
  const double share = static_cast<double>(value - from) / static_cast<double>(to - from);
  return left + share * (right - left);
}

double SweepMap::y_of(std::int64_t bytes) const {
  return lower - static_cast<double>(bytes) / static_cast<double>(top) * (lower - upper);
}

std::int64_t SweepMap::value_at(double x) const {
  const double share = std::clamp((x - left) / (right - left), 0.0, 1.0);
  return from + std::llround(share * static_cast<double>(to - from));
}

std::optional<std::size_t> nearest_point(const SweepMap& map, const std::vector<SweepPoint>& points,
                                         double x) {
  if (points.empty()) return std::nullopt;
  const auto distance = [&](const SweepPoint& point) {
    return std::abs(map.x_of(point.value) - x);
  };
  const auto nearest = std::ranges::min_element(points, {}, distance);
  return static_cast<std::size_t>(nearest - points.begin());
}

std::int64_t top_of(const std::vector<SweepPoint>& points, std::int64_t memory_bytes) {
  std::int64_t most = 1;
  for (const SweepPoint& each : points) {
    most = std::max({most, each.baseline_bytes, each.current_bytes});
  }
  const bool is_near =
      static_cast<double>(memory_bytes) <= farthest_memory * static_cast<double>(most);
  if (is_near) most = std::max(most, memory_bytes);
  return std::llround(static_cast<double>(most) * room_above);
}

std::vector<std::int64_t> value_ticks(std::int64_t from, std::int64_t to, int count) {
  const std::int64_t distance = round_distance(static_cast<double>(to - from) / std::max(1, count));
  std::vector<std::int64_t> ticks;
  for (std::int64_t tick = (from + distance - 1) / distance * distance; tick <= to;
       tick += distance) {
    ticks.push_back(tick);
  }
  return ticks;
}

}  // namespace stashscope::ui
