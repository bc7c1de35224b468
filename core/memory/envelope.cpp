#include "core/memory/envelope.h"

#include <algorithm>
#include <cmath>

namespace stashscope {

std::vector<Extremes> envelope(std::span<const std::int64_t> values,
                               std::span<const double> bounds) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto index = [&](double step) {
    return static_cast<std::ptrdiff_t>(std::clamp(std::floor(step), 0.0, last));
  };
  std::vector<Extremes> result;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const std::ptrdiff_t begin = index(bounds[i]);
    // A bound on the edge of a step does not reach into it.
    const std::ptrdiff_t end = std::max(begin + 1, index(std::ceil(bounds[i + 1]) - 1) + 1);
    const auto [low, high] = std::minmax_element(values.begin() + begin, values.begin() + end);
    result.push_back({*low, *high});
  }
  return result;
}

std::vector<double> even_bounds(double first, double last, std::size_t count) {
  std::vector<double> bounds;
  for (std::size_t i = 0; i <= count; ++i) {
    bounds.push_back(first + (last - first) * static_cast<double>(i) /
                                 static_cast<double>(std::max<std::size_t>(1, count)));
  }
  return bounds;
}

}  // namespace stashscope
