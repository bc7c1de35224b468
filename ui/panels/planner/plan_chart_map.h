#pragma once

#include <QRectF>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace stashscope::ui {

/// The result of a plan: its peak, and its extra time over the step without plans.
struct ChartPoint {
  std::int64_t peak_bytes = 0;
  double extra_seconds = 0;

  friend bool operator==(const ChartPoint&, const ChartPoint&) = default;
};

/// Maps plans to pixels of the chart: peaks to the right, extra time upwards from 0.
struct PlanChartMap {
  QRectF plot;  ///< area of the chart in pixels
  double first_bytes = 0;
  double last_bytes = 1;    ///< above `first_bytes`
  double most_seconds = 1;  ///< above 0
  bool has_times =
      false;  ///< whether any extra time is above 0; otherwise `most_seconds` is arbitrary

  double x_of(double bytes) const {
    return plot.left() + plot.width() * (bytes - first_bytes) / (last_bytes - first_bytes);
  }
  double y_of(double seconds) const {
    return plot.bottom() - plot.height() * seconds / most_seconds;
  }
  double bytes_at(double x) const {
    return first_bytes + (last_bytes - first_bytes) * (x - plot.left()) / plot.width();
  }
  double seconds_at(double y) const { return most_seconds * (plot.bottom() - y) / plot.height(); }
  QPointF at(const ChartPoint& point) const {
    return {x_of(static_cast<double>(point.peak_bytes)), y_of(point.extra_seconds)};
  }
};

/// A map whose ranges contain all peaks and all extra times that are not negative. Each range has a
/// margin at each end, except that the range of extra times begins at 0 without a margin.
PlanChartMap map_around(std::span<const ChartPoint> points, std::span<const std::int64_t> peaks,
                        const QRectF& plot);

/// The index of the point nearest to `pixel`; nothing if no point is within `within` pixels. Of
/// points that a mouse cannot tell apart, the first.
std::optional<std::size_t> nearest_point(const PlanChartMap& map,
                                         std::span<const ChartPoint> points, QPointF pixel,
                                         double within);

struct ChartTick {
  double value = 0;
  /// Such as `20 ms`. All ticks of an axis have the same unit; the text of 0 has no unit.
  std::string text;
};

/// Ticks at about `count` round numbers of seconds, from 0 to at most `most`, at least two. Only 0
/// if `most` is 0.
std::vector<ChartTick> time_ticks(double most, int count);
/// Ticks at about `count` round numbers of bytes, from `first_bytes` to `last_bytes`, at least two.
/// If the range is narrow compared with `last_bytes`, the numbers are in a smaller unit.
/// @pre 0 <= first_bytes < last_bytes
std::vector<ChartTick> peak_ticks(double first_bytes, double last_bytes, int count);

}  // namespace stashscope::ui
