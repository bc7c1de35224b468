#include "core/memory/envelope.h"

#include <algorithm>
#include <cmath>

namespace stashscope {

namespace {

/// Number of entries of a level that one entry of the next level covers.
constexpr std::size_t block = 8;

Extremes joined(const Extremes& a, const Extremes& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

Extremes entry(std::int64_t value) { return {value, value}; }
Extremes entry(const Extremes& extremes) { return extremes; }

template <class Entry>
std::vector<Extremes> blocks_of(const std::vector<Entry>& below) {
  std::vector<Extremes> blocks;
  blocks.reserve(below.size() / block + 1);
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (i % block == 0) blocks.push_back(entry(below[i]));
    blocks.back() = joined(blocks.back(), entry(below[i]));
  }
  return blocks;
}

/// Merges into `found` the entries at the two ends of `left` that do not fill a whole block, and
/// removes them from `left`. Then converts `left` to units of blocks, which are the entries of the
/// next level.
template <class Entry>
void take_ends(const std::vector<Entry>& level, Stretch& left, Extremes& found) {
  while (left.begin < left.end && left.begin % block != 0) {
    found = joined(found, entry(level[left.begin++]));
  }
  while (left.begin < left.end && left.end % block != 0) {
    found = joined(found, entry(level[--left.end]));
  }
  left = {left.begin / block, left.end / block};
}

template <class ExtremesOf>
std::vector<Extremes> by_stretch(std::span<const double> bounds, std::size_t steps,
                                 const ExtremesOf& extremes_of) {
  std::vector<Extremes> result;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    result.push_back(extremes_of(steps_between(bounds[i], bounds[i + 1], steps)));
  }
  return result;
}

}  // namespace

Stretch steps_between(double first, double last, std::size_t steps) {
  const auto most = static_cast<double>(steps - 1);
  const auto index = [&](double slot) {
    return static_cast<std::size_t>(std::clamp(std::floor(slot), 0.0, most));
  };
  const std::size_t begin = index(first);
  // If `last` is the left edge of a slot, the stretch ends before this slot.
  return {begin, std::max(begin + 1, index(std::ceil(last) - 1) + 1)};
}

std::vector<Extremes> envelope(std::span<const std::int64_t> values,
                               std::span<const double> bounds) {
  return by_stretch(bounds, values.size(), [&](const Stretch& stretch) {
    const auto steps = values.subspan(stretch.begin, stretch.end - stretch.begin);
    const auto [low, high] = std::minmax_element(steps.begin(), steps.end());
    return Extremes{*low, *high};
  });
}

CurveExtremes::CurveExtremes(std::vector<std::int64_t> values) : values_(std::move(values)) {
  if (values_.size() <= 1) return;
  levels_.push_back(blocks_of(values_));
  while (levels_.back().size() > 1) levels_.push_back(blocks_of(levels_.back()));
}

Extremes CurveExtremes::between(const Stretch& stretch) const {
  Stretch left = stretch;
  Extremes found = entry(values_[stretch.begin]);
  take_ends(values_, left, found);
  for (const auto& level : levels_) {
    if (left.begin >= left.end) break;
    take_ends(level, left, found);
  }
  return found;
}

std::size_t CurveExtremes::highest(const Stretch& stretch) const {
  return next_at_least(stretch.begin, between(stretch).high);
}

std::size_t CurveExtremes::next_at_least(std::size_t begin, std::int64_t least) const {
  std::size_t at = begin;
  while (at < values_.size() && values_[at] < least) at += known_below(at, least);
  return std::min(at, values_.size());
}

std::size_t CurveExtremes::known_below(std::size_t at, std::int64_t least) const {
  std::size_t known = 1;
  std::size_t reach = block;
  for (const auto& level : levels_) {
    if (at % reach != 0 || level[at / reach].high >= least) break;
    known = reach;
    reach *= block;
  }
  return known;
}

std::vector<Extremes> envelope(const CurveExtremes& curve, std::span<const double> bounds) {
  return by_stretch(bounds, curve.size(),
                    [&](const Stretch& stretch) { return curve.between(stretch); });
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
