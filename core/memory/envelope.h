#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stashscope {

/// The least and the most of a stretch of a curve.
struct Extremes {
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend bool operator==(const Extremes&, const Extremes&) = default;
};

/// The steps from `begin` up to `end`, which is none of them; never empty.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 1;

  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// The steps that lie between two bounds, partly or whole. Step i covers [i, i + 1); bounds outside
/// of all steps mean the nearest one. @pre 0 < steps, first <= last
Stretch steps_between(double first, double last, std::size_t steps);

/// The extremes of each stretch between two neighbouring bounds, so that a curve drawn by them
/// loses no peak however far it is zoomed out. Step i covers [i, i + 1); stretches outside of all
/// steps have the nearest step's value.
/// @param bounds ascending, in steps; the result has one entry less
/// @pre values is not empty
std::vector<Extremes> envelope(std::span<const std::int64_t> values,
                               std::span<const double> bounds);

/// A curve that knows the extremes of its stretches at every scale, so that those of any stretch
/// are found without a look at all of its steps.
class CurveExtremes {
 public:
  CurveExtremes() = default;
  explicit CurveExtremes(std::vector<std::int64_t> values);

  const std::vector<std::int64_t>& values() const { return values_; }
  bool empty() const { return values_.empty(); }
  std::size_t size() const { return values_.size(); }
  std::int64_t operator[](std::size_t step) const { return values_[step]; }

  /// @pre the stretch lies within the curve
  Extremes between(const Stretch& stretch) const;
  /// The first step of the stretch with the most. @pre as above
  std::size_t highest(const Stretch& stretch) const;
  /// The first step at or after `begin` with at least that much; size() when there is none.
  std::size_t next_at_least(std::size_t begin, std::int64_t least) const;

 private:
  /// How many steps after `at`, which is one of them, have less than `least` and are known to.
  std::size_t known_below(std::size_t at, std::int64_t least) const;

  std::vector<std::int64_t> values_;
  std::vector<std::vector<Extremes>> levels_;  ///< of blocks of the level below, the values first
};

/// As the other envelope. @pre curve is not empty
std::vector<Extremes> envelope(const CurveExtremes& curve, std::span<const double> bounds);

/// `count + 1` evenly spaced bounds from `first` to `last`.
std::vector<double> even_bounds(double first, double last, std::size_t count);

}  // namespace stashscope
