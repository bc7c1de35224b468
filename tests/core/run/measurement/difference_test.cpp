#include "core/run/measurement/difference.h"

#include <gtest/gtest.h>

#include <limits>

namespace stashscope {
namespace difference_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

using Items = std::vector<double>;

TEST(Difference, IsOfTheWorstElement) {
  const Difference found = difference(Items{1, -2, 3.5}, Items{1, -4, 3});
  EXPECT_EQ(found.largest, 2);
  EXPECT_EQ(found.largest_value, 4);
}

TEST(Difference, NanOfOneSideIsInfinitelyFarWhereverItStands) {
  const Items numbers = {1, 2, 3};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    Items broken = numbers;
    broken[i] = nan;
    EXPECT_EQ(difference(broken, numbers).largest, infinity) << i;
    EXPECT_EQ(difference(numbers, broken).largest, infinity) << i;
  }
  EXPECT_EQ(difference(Items{nan, nan, nan}, numbers).largest, infinity);
}

TEST(Difference, ExpectedNanIsNoDifference) {
  const Difference found = difference(Items{nan, 2}, Items{nan, 3});
  EXPECT_EQ(found.largest, 1);
  EXPECT_EQ(found.largest_value, 3);
}

TEST(Difference, InfinitiesMustBeEqual) {
  EXPECT_EQ(difference(Items{infinity, 1}, Items{infinity, 1}).largest, 0);
  EXPECT_EQ(difference(Items{infinity, 1}, Items{infinity, 1}).largest_value, 1);
  EXPECT_EQ(difference(Items{-infinity, 1}, Items{infinity, 1}).largest, infinity);
  EXPECT_EQ(difference(Items{infinity, 1}, Items{1, 1}).largest, infinity);
  EXPECT_EQ(difference(Items{1, 1}, Items{1, infinity}).largest, infinity);
}

TEST(Difference, OtherLengthsAreInfinitelyFar) {
  EXPECT_EQ(difference(Items{1}, Items{1, 2}).largest, infinity);
}

}  // namespace difference_test
}  // namespace stashscope
