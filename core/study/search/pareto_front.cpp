// The front of the plans that were found, in peak and time.

#include <algorithm>

#include "core/study/search/budget.h"

namespace stashscope {

bool ParetoFront::has_as_good(std::int64_t peak_bytes, double extra_seconds) const {
  const auto above = std::ranges::upper_bound(points_, peak_bytes, {}, &ParetoPoint::peak_bytes);
  return above != points_.begin() && (above - 1)->extra_seconds <= extra_seconds;
}

bool ParetoFront::add(ParetoPoint point) {
  if (has_as_good(point.peak_bytes, point.extra_seconds)) return false;
  std::erase_if(points_, [&](const ParetoPoint& each) {
    return each.peak_bytes >= point.peak_bytes && each.extra_seconds >= point.extra_seconds;
  });
  const auto place =
      std::ranges::upper_bound(points_, point.peak_bytes, {}, &ParetoPoint::peak_bytes);
  points_.insert(place, std::move(point));
  return true;
}

const ParetoPoint& ParetoFront::best(std::int64_t budget_bytes) const {
  const auto above = std::ranges::upper_bound(points_, budget_bytes, {}, &ParetoPoint::peak_bytes);
  return above == points_.begin() ? points_.front() : *(above - 1);
}

}  // namespace stashscope
