#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/study/search/sweep.h"

namespace stashscope::ui {

/// Maps sizes of a dimension and peaks to pixels of a chart: sizes to the right, peaks upwards.
struct SweepMap {
  std::int64_t from = 1;  ///< size at the left edge
  std::int64_t to = 2;    ///< size at the right edge; above `from`
  std::int64_t top = 1;   ///< bytes at the upper edge, at least 1
  double left = 0;
  double right = 1;
  double upper = 0;
  double lower = 1;

  double x_of(std::int64_t value) const;
  double y_of(std::int64_t bytes) const;
  /// The size at a pixel; pixels beyond the ends give the nearest size.
  std::int64_t value_at(double x) const;
};

/// Index of the point whose size is drawn nearest to a pixel; empty without points.
std::optional<std::size_t> nearest_point(const SweepMap& map, const std::vector<SweepPoint>& points,
                                         double x);

/// Bytes at the upper edge of the chart: above the peaks, and above the memory of the device unless
/// this memory is more than twice the highest peak.
std::int64_t top_of(const std::vector<SweepPoint>& points, std::int64_t memory_bytes);

/// A size some 10 % above the largest size that fits the memory. A straight line through the last
/// two points gives an estimate of that largest size. Nothing if there are fewer than two points,
/// if the last size does not fit, if the model refuses one of the last two sizes, if the last size
/// needs no more memory than the size before it, or if the memory is unknown.
/// @param points ascending by size
std::optional<std::int64_t> size_beyond(const std::vector<SweepPoint>& points,
                                        std::int64_t memory_bytes);

/// About `count` round numbers from `from` to `to`, at least two if `from` is below `to`.
std::vector<std::int64_t> value_ticks(std::int64_t from, std::int64_t to, int count);

}  // namespace stashscope::ui
