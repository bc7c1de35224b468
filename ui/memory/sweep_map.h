#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/study/search/sweep.h"

namespace stashscope::ui {

/// What lies where in a chart of peaks against the sizes of a dimension; pixels grow to the right
/// and down.
struct SweepMap {
  std::int64_t from = 1;  ///< size at the left edge
  std::int64_t to = 2;    ///< at the right edge, above `from`
  std::int64_t top = 1;   ///< bytes at the upper edge, at least 1
  double left = 0;
  double right = 1;
  double upper = 0;
  double lower = 1;

  double x_of(std::int64_t value) const;
  double y_of(std::int64_t bytes) const;
  /// The size at a pixel; pixels beyond the ends mean the nearest one.
  std::int64_t value_at(double x) const;
};

/// The point whose size is drawn nearest to a pixel; nothing without points.
std::optional<std::size_t> nearest_point(const SweepMap& map, const std::vector<SweepPoint>& points,
                                         double x);

/// Bytes that the chart must reach: the peaks with room above them, and the memory of the device
/// where it is not far beyond them.
std::int64_t top_of(const std::vector<SweepPoint>& points, std::int64_t memory_bytes);

/// Round numbers from `from` to `to`, about `count` of them.
std::vector<std::int64_t> value_ticks(std::int64_t from, std::int64_t to, int count);

}  // namespace stashscope::ui
