#include "core/layout/scene/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>

namespace stashscope::layout {
namespace colour_map_test {

/// Perceived lightness of a colour, from 0 (black) to 100 (white): CIE L*.
double lightness(const Rgb& colour) {
  const auto linear = [](std::uint8_t part) {
    const double c = part / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double y =
      0.2126 * linear(colour.red) + 0.7152 * linear(colour.green) + 0.0722 * linear(colour.blue);
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(LifetimeColour, RunsFromDarkVioletToBrightYellow) {
  const Rgb first = lifetime_colour(0);
  const Rgb last = lifetime_colour(1);
  EXPECT_GT(first.blue, first.green);
  EXPECT_GT(first.red, first.green);
  EXPECT_LT(lightness(first), 30);
  EXPECT_GT(last.red, last.blue);
  EXPECT_GT(last.green, last.blue);
  EXPECT_GT(lightness(last), 80);
}

TEST(LifetimeColour, GetsLighterEvenly) {
  constexpr int steps = 20;
  const double all = lightness(lifetime_colour(1)) - lightness(lifetime_colour(0));
  for (int i = 0; i < steps; ++i) {
    const double here = lightness(lifetime_colour(static_cast<double>(i) / steps));
    const double next = lightness(lifetime_colour(static_cast<double>(i + 1) / steps));
    EXPECT_GT(next - here, 0.5 * all / steps) << i;
    EXPECT_LT(next - here, 1.6 * all / steps) << i;
  }
}

TEST(LifetimeColour, BeyondTheEndsIsTheEnd) {
  EXPECT_EQ(lifetime_colour(-3), lifetime_colour(0));
  EXPECT_EQ(lifetime_colour(7), lifetime_colour(1));
}

TEST(ToHex, HasTwoDigitsForEachPart) {
  EXPECT_EQ(to_hex({0, 10, 255}), "#000aff");
  EXPECT_EQ(to_hex({16, 171, 205}), "#10abcd");
}

}  // namespace colour_map_test
}  // namespace stashscope::layout
