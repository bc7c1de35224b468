#include "core/layout/scene/band_colour.h"

#include <gtest/gtest.h>

#include <set>

namespace stashscope::layout {
namespace band_colour_test {

TEST(BandColour, DiffersFromBandToBand) {
  std::set<std::string_view> colours;
  for (std::size_t i = 0; i < band_count; ++i) {
    const std::string_view colour = band_colour(static_cast<Band>(i));
    EXPECT_EQ(colour.size(), 7U) << colour;
    EXPECT_EQ(colour.find_first_not_of("0123456789abcdef", 1), std::string_view::npos) << colour;
    colours.insert(colour);
  }
  EXPECT_EQ(colours.size(), band_count);
}

}  // namespace band_colour_test
}  // namespace stashscope::layout
