#include "core/layout/scene/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace stashscope::layout {

namespace {

/// Components of linear RGB; a screen can show components in [0, 1].
using Light = std::array<double, 3>;

/// Converts from OKLCh, the polar form of the perceptual colour space OKLab. @param hue in degrees
Light from_oklch(double lightness, double chroma, double hue) {
  const double angle = hue * std::numbers::pi / 180;
  const double a = chroma * std::cos(angle);
  const double b = chroma * std::sin(angle);
  const auto cubed = [](double x) { return x * x * x; };
  const double l = cubed(lightness + 0.3963377774 * a + 0.2158037573 * b);
  const double m = cubed(lightness - 0.1055613458 * a - 0.0638541728 * b);
  const double s = cubed(lightness - 0.0894841775 * a - 1.2914855480 * b);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

bool is_shown(const Light& light) {
  return std::all_of(light.begin(), light.end(), [](double c) { return c >= 0 && c <= 1; });
}

std::uint8_t screen_value(double linear) {
  const double clamped = std::clamp(linear, 0.0, 1.0);
  const double encoded =
      clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * std::pow(clamped, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * encoded));
}

Rgb colour_at(double t) {
  const double lightness = 0.32 + 0.58 * t;
  const double hue = 305 - 195 * t;
  // Reduces the chroma until a screen can show the colour: only lightness must rise evenly over the
  // map.
  double chroma = 0.15;
  while (chroma > 0 && !is_shown(from_oklch(lightness, chroma, hue))) chroma -= 0.005;
  const Light light = from_oklch(lightness, std::max(0.0, chroma), hue);
  return {screen_value(light[0]), screen_value(light[1]), screen_value(light[2])};
}

constexpr std::size_t finest = 255;

/// Computed once, because a picture looks up thousands of colours per frame.
const std::array<Rgb, finest + 1>& colours() {
  static const auto all = [] {
    std::array<Rgb, finest + 1> made;
    for (std::size_t i = 0; i <= finest; ++i) made[i] = colour_at(static_cast<double>(i) / finest);
    return made;
  }();
  return all;
}

}  // namespace

Rgb lifetime_colour(double share) {
  return colours()[static_cast<std::size_t>(std::lround(finest * std::clamp(share, 0.0, 1.0)))];
}

std::string to_hex(const Rgb& colour) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text = "#";
  for (const std::uint8_t part : {colour.red, colour.green, colour.blue}) {
    text += digits[part / 16];
    text += digits[part % 16];
  }
  return text;
}

}  // namespace stashscope::layout
