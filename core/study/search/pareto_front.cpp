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

void ParetoFront::leave_out(const PlanOutcome& plans) {
  const auto is_as_good = [](const PlanOutcome& a, const PlanOutcome& b) {
    return a.peak_bytes <= b.peak_bytes && a.extra_seconds <= b.extra_seconds;
  };
  if (std::ranges::any_of(left_out_, [&](const auto& each) { return is_as_good(each, plans); })) {
    return;
  }
  std::erase_if(left_out_, [&](const auto& each) { return is_as_good(plans, each); });
  left_out_.push_back(plans);
}

std::optional<PlanOutcome> ParetoFront::left_out_for_host(std::int64_t budget_bytes) const {
  if (points_.empty()) return std::nullopt;
  const ParetoPoint& found = best(budget_bytes);
  std::optional<PlanOutcome> better;
  PlanOutcome least{found.peak_bytes, found.extra_seconds, found.host_bytes};
  for (const PlanOutcome& each : left_out_) {
    const bool fits = each.peak_bytes <= budget_bytes;
    const bool least_fits = least.peak_bytes <= budget_bytes;
    const bool is_cheaper = fits && least_fits && each.extra_seconds < least.extra_seconds;
    const bool is_lower = !fits && !least_fits && each.peak_bytes < least.peak_bytes;
    if (is_cheaper || is_lower || (fits && !least_fits)) better = least = each;
  }
  return better;
}

}  // namespace stashscope
