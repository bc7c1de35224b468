#pragma once

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

/// The extremes of each stretch between two neighbouring bounds, so that a curve drawn by them
/// loses no peak however far it is zoomed out. Step i covers [i, i + 1); stretches outside of all
/// steps have the nearest step's value.
/// @param bounds ascending, in steps; the result has one entry less
/// @pre values is not empty
std::vector<Extremes> envelope(std::span<const std::int64_t> values,
                               std::span<const double> bounds);

/// `count + 1` evenly spaced bounds from `first` to `last`.
std::vector<double> even_bounds(double first, double last, std::size_t count);

}  // namespace stashscope
