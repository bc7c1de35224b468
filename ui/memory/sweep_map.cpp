#include "ui/memory/sweep_map.h"

#include <algorithm>
#include <cmath>

#include "ui/charts/enough_ticks.h"

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

std::optional<std::int64_t> size_beyond(const std::vector<SweepPoint>& points,
                                        std::int64_t memory_bytes) {
  constexpr double room_behind = 1.1;
  constexpr double farthest = 1e15;  // converts to an integer
  if (points.size() < 2) return std::nullopt;
  const SweepPoint& before = points[points.size() - 2];
  const SweepPoint& last = points.back();
  const bool is_known = before.fault.empty() && last.fault.empty() && memory_bytes > 0;
  if (!is_known || last.current_bytes > memory_bytes) return std::nullopt;
  const auto bytes = static_cast<double>(last.current_bytes - before.current_bytes);
  if (bytes <= 0) return std::nullopt;
  const double per_byte = static_cast<double>(last.value - before.value) / bytes;
  const double size = static_cast<double>(last.value) +
                      static_cast<double>(memory_bytes - last.current_bytes) * per_byte;
  return std::llround(std::min(farthest, std::ceil(room_behind * size) + 1));
}

std::vector<std::int64_t> value_ticks(std::int64_t from, std::int64_t to, int count) {
  return enough_ticks(std::max(1, count), [&](int wanted) {
    const std::int64_t distance = round_distance(static_cast<double>(to - from) / wanted);
    std::vector<std::int64_t> ticks;
    for (std::int64_t tick = (from + distance - 1) / distance * distance; tick <= to;
         tick += distance) {
      ticks.push_back(tick);
    }
    return ticks;
  });
}

}  // namespace stashscope::ui
