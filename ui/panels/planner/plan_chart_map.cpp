#include "ui/panels/planner/plan_chart_map.h"

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/charts/byte_axis.h"
#include "ui/charts/enough_ticks.h"

namespace stashscope::ui {

namespace {

constexpr double margin = 0.06;  // as a share of the range, at each end of the range

/// The smallest number that is 1, 2 or 5 times a power of ten and not below `number`. A number that
/// is up to 0.1 % below `number` is accepted, too.
double rounded_up(double number) {
  const double power = std::pow(10, std::floor(std::log10(number)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * power >= number * 0.999) return digit * power;
  }
  return 10 * power;
}

std::vector<ChartTick> time_ticks_for(double most, int count) {
  const ColumnUnit unit = time_unit(most);
  const double distance = rounded_up(most / unit.size / count);
  const int digits = std::max(0, static_cast<int>(-std::floor(std::log10(distance))));
  std::vector<ChartTick> ticks = {{0, "0"}};
  for (int i = 1; i * distance * unit.size <= most; ++i) {
    ticks.push_back({i * distance * unit.size,
                     format_fixed(i * distance, digits) + " " + std::string(unit.name)});
  }
  return ticks;
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten of a unit of bytes. The unit is the largest
/// one that fits four times into the range, so that there are at least two ticks.
std::vector<ChartTick> close_peak_ticks(double first_bytes, double last_bytes) {
  constexpr double bytes_per_unit = 1024;
  double unit = byte_unit(std::llround(last_bytes)).size;
  while (unit > 1 && last_bytes - first_bytes < 4 * unit) unit /= bytes_per_unit;
  const ColumnUnit named = byte_unit(std::llround(unit));
  const double distance = std::max(1.0, rounded_up((last_bytes - first_bytes) / 8 / unit)) * unit;
  std::vector<ChartTick> ticks;
  for (double tick = std::ceil(first_bytes / distance) * distance; tick <= last_bytes;
       tick += distance) {
    ticks.push_back(
        {tick, format_number(std::round(tick / named.size)) + " " + std::string(named.name)});
  }
  return ticks;
}

}  // namespace

PlanChartMap map_around(std::span<const ChartPoint> points, std::span<const std::int64_t> peaks,
                        const QRectF& plot) {
  std::vector<std::int64_t> all(peaks.begin(), peaks.end());
  double most = 0;
  for (const ChartPoint& point : points) {
    all.push_back(point.peak_bytes);
    most = std::max(most, point.extra_seconds);
  }
  PlanChartMap map;
  map.plot = plot;
  map.has_times = most > 0;
  map.most_seconds = map.has_times ? most * (1 + 2 * margin) : 1e-3;
  if (all.empty()) return map;
  const auto [least, largest] = std::ranges::minmax(all);
  const double range =
      std::max({1.0, static_cast<double>(largest - least), 0.02 * static_cast<double>(largest)});
  map.first_bytes = std::max(0.0, static_cast<double>(least) - margin * range);
  map.last_bytes = static_cast<double>(least) + (1 + margin) * range;
  return map;
}

std::optional<std::size_t> nearest_point(const PlanChartMap& map,
                                         std::span<const ChartPoint> points, QPointF pixel,
                                         double within) {
  // A mouse cannot tell points apart whose distances from the pointer differ by less than this.
  constexpr double same_place = 0.75;
  const auto distance = [&](const ChartPoint& point) {
    const QPointF away = map.at(point) - pixel;
    return std::hypot(away.x(), away.y());
  };
  double least = within;
  for (const ChartPoint& point : points) least = std::min(least, distance(point));
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < points.size() && !nearest; ++i) {
    if (distance(points[i]) <= std::min(within, least + same_place)) nearest = i;
  }
  return nearest;
}

std::vector<ChartTick> time_ticks(double most, int count) {
  if (most <= 0) return {{0, "0"}};
  return enough_ticks(std::max(1, count), [&](int wanted) { return time_ticks_for(most, wanted); });
}

std::vector<ChartTick> peak_ticks(double first_bytes, double last_bytes, int count) {
  const double share = (last_bytes - first_bytes) / last_bytes;
  const int count_from_0 = static_cast<int>(std::ceil(std::max(1, count) / share));
  std::vector<ChartTick> ticks;
  for (const ByteTick& tick : byte_ticks(std::llround(last_bytes), count_from_0)) {
    const auto bytes = static_cast<double>(tick.bytes);
    if (bytes >= first_bytes && bytes <= last_bytes) ticks.push_back({bytes, tick.text});
  }
  return ticks.size() < fewest_ticks ? close_peak_ticks(first_bytes, last_bytes) : ticks;
}

}  // namespace stashscope::ui
