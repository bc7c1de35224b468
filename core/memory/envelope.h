#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stashscope {

/// The minimum and maximum of a curve over a stretch.
struct Extremes {
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend bool operator==(const Extremes&, const Extremes&) = default;
};

/// The slots in [begin, end); never empty.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 1;

  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// The slots that overlap [first, last); if `first` equals `last`, the slot that contains it. Slot
/// i covers [i, i + 1). Bounds outside all slots are clamped to the nearest slot.
/// @param steps number of slots
/// @pre 0 < steps, first <= last
Stretch steps_between(double first, double last, std::size_t steps);

/// The extremes between neighbouring bounds. A curve drawn from them shows every peak at any zoom.
/// Slot i covers [i, i + 1). Stretches outside all slots get the value of the nearest slot.
/// @param bounds ascending, in slots; the result has one entry fewer
/// @pre values is not empty
std::vector<Extremes> envelope(std::span<const std::int64_t> values,
                               std::span<const double> bounds);

/// A curve with precomputed extremes at every scale, so that the extremes of a stretch take
/// logarithmic time.
class CurveExtremes {
 public:
  CurveExtremes() = default;
  explicit CurveExtremes(std::vector<std::int64_t> values);

  const std::vector<std::int64_t>& values() const { return values_; }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  std::int64_t operator[](std::size_t slot) const { return values_[slot]; }

  /// @pre the stretch lies within the curve
  Extremes between(const Stretch& stretch) const;
  /// The first slot with the maximum of the stretch. @pre the stretch lies within the curve
  std::size_t highest(const Stretch& stretch) const;
  /// The first slot at or after `begin` with a value of at least `least`; size() if there is none.
  std::size_t next_at_least(std::size_t begin, std::int64_t least) const;

 private:
  /// The length of a stretch of slots that starts at `at` and has only values below `least`.
  /// @pre values_[at] < least
  std::size_t known_below(std::size_t at, std::int64_t least) const;

  std::vector<std::int64_t> values_;
  /// Level 0 has the extremes of blocks of values; each higher level has the extremes of blocks of
  /// the level below.
  std::vector<std::vector<Extremes>> levels_;
};

/// The envelope of a curve with precomputed extremes. @pre curve is not empty
std::vector<Extremes> envelope(const CurveExtremes& curve, std::span<const double> bounds);

/// `count + 1` evenly spaced bounds from `first` to `last`.
std::vector<double> even_bounds(double first, double last, std::size_t count);

}  // namespace stashscope
