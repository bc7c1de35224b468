#include "core/layout/place/geometry.h"

#include <gtest/gtest.h>

namespace stashscope::layout {
namespace geometry_test {

TEST(DistanceTo, ALineCountsFromItsEndsToo) {
  EXPECT_DOUBLE_EQ(distance_to({0, 0}, {10, 0}, {5, 3}), 3);
  EXPECT_DOUBLE_EQ(distance_to({0, 0}, {10, 0}, {13, 4}), 5);
  EXPECT_DOUBLE_EQ(distance_to({2, 2}, {2, 2}, {5, 6}), 5);
}

TEST(DistanceTo, ACurveIsNearAtEveryPointOfIt) {
  const Curve curve = horizontal_curve({0, 0}, {400, 900});
  for (double t = 0; t <= 1; t += 0.01) {
    const Point on = point_on(curve.data(), t);
    EXPECT_LT(distance_to(curve, on), 1);
    EXPECT_GT(distance_to(curve, {on.x + 30, on.y - 30}), 10);
  }
}

TEST(Flattened, StartsAndEndsWithTheCurve) {
  Curve curve = vertical_curve({0, 0}, {10, 100});
  const Curve more = vertical_curve({10, 100}, {0, 200});
  curve.insert(curve.end(), more.begin() + 1, more.end());
  const auto points = flattened(curve, 4);
  ASSERT_EQ(points.size(), 9U);
  EXPECT_EQ(points.front(), curve.front());
  EXPECT_EQ(points[4], (Point{10, 100}));
  EXPECT_EQ(points.back(), curve.back());
}

}  // namespace geometry_test
}  // namespace stashscope::layout
