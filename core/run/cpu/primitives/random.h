#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace stashscope::cpu {

/// Random numbers that depend only on seed and position, so that a recomputed tensor gets the same
/// numbers in any order of evaluation. The output function of SplitMix64 (Steele, Lea and Flood,
/// "Fast splittable pseudorandom number generators", OOPSLA 2014) is applied to seed and position.
class PositionalRandom {
 public:
  explicit PositionalRandom(std::uint64_t seed) : seed_(mixed(seed + increment)) {}

  std::uint64_t bits(std::uint64_t position) const {
    return mixed(seed_ + (position + 1) * increment);
  }

  /// Uniform in [0, 1).
  double uniform(std::uint64_t position) const {
    return static_cast<double>(bits(position) >> 11) * 0x1p-53;
  }

  /// Normal, of mean 0 and deviation 1. (Box and Muller, 1958)
  double normal(std::uint64_t position) const {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(2 * position)));
    return radius * std::cos(2 * std::numbers::pi * uniform(2 * position + 1));
  }

 private:
  static constexpr std::uint64_t increment = 0x9E3779B97F4A7C15;

  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  std::uint64_t seed_;
};

}  // namespace stashscope::cpu
