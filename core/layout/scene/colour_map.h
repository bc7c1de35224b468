#pragma once

#include <cstdint>
#include <string>

namespace stashscope::layout {

struct Rgb {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;

  friend bool operator==(const Rgb&, const Rgb&) = default;
};

/// The colour map of all quantities, from dark violet (0) over teal to bright yellow (1). Lightness
/// rises evenly, so equal differences look equal, and the map is readable without colour vision.
Rgb lifetime_colour(double share);

/// `#rrggbb`
std::string to_hex(const Rgb& colour);

}  // namespace stashscope::layout
