#include "core/base/seconds.h"

#include <gtest/gtest.h>

namespace stashscope {
namespace {

TEST(FormatSeconds, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(format_seconds(0), "0 s");
  EXPECT_EQ(format_seconds(12.34), "12.3 s");
  EXPECT_EQ(format_seconds(1), "1.00 s");
  EXPECT_EQ(format_seconds(0.0831), "83.1 ms");
  EXPECT_EQ(format_seconds(0.00064), "640 µs");
  EXPECT_EQ(format_seconds(2.5e-9), "2.50 ns");
}

TEST(FormatSeconds, RoundsIntoTheNextUnit) {
  EXPECT_EQ(format_seconds(0.9996), "1.00 s");
  EXPECT_EQ(format_seconds(0.00999996), "10.0 ms");
  EXPECT_EQ(format_seconds(3600), "3600 s");
}

TEST(FormatSeconds, LessThanNothingHasASign) {
  EXPECT_EQ(format_seconds(-0.0831), "−83.1 ms");
  EXPECT_EQ(format_seconds(-12.34), "−12.3 s");
}

}  // namespace
}  // namespace stashscope
