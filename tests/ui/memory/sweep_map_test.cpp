// The mapping of the chart of peaks against a dimension, without a widget.

#include "ui/memory/sweep_map.h"

#include <gtest/gtest.h>

namespace stashscope::ui {
namespace sweep_map_test {

using Values = std::vector<std::int64_t>;

TEST(SweepMap, EverySizeIsFoundWhereItIsDrawn) {
  const SweepMap map{3, 260, 1000, 72, 700, 30, 200};
  for (std::int64_t value = 3; value <= 260; ++value) {
    EXPECT_EQ(map.value_at(map.x_of(value)), value);
  }
  EXPECT_EQ(map.value_at(-1e9), 3);
  EXPECT_EQ(map.value_at(1e9), 260);
}

TEST(SweepMap, BytesGrowUpwards) {
  const SweepMap map{1, 2, 1000, 0, 1, 30, 200};
  EXPECT_DOUBLE_EQ(map.y_of(0), 200);
  EXPECT_DOUBLE_EQ(map.y_of(1000), 30);
  EXPECT_DOUBLE_EQ(map.y_of(500), 115);
}

TEST(SweepMap, ThePointNextToAPixel) {
  const SweepMap map{0, 100, 1, 0, 100, 0, 1};
  const std::vector<SweepPoint> points = {{10, "", 1, 1}, {50, "", 1, 1}, {90, "", 1, 1}};
  EXPECT_EQ(nearest_point(map, points, 29), 0U);
  EXPECT_EQ(nearest_point(map, points, 31), 1U);
  EXPECT_EQ(nearest_point(map, points, 1e6), 2U);
  EXPECT_FALSE(nearest_point(map, {}, 5));
}

TEST(SweepMap, TheTopHoldsPeaksAndAMemoryThatIsNear) {
  const std::vector<SweepPoint> points = {{1, "", 700, 500}, {2, "refused", 0, 0}};
  EXPECT_GT(top_of(points, 0), 700);
  EXPECT_LT(top_of(points, 0), 1000);
  EXPECT_GT(top_of(points, 1200), 1200);
  EXPECT_LT(top_of(points, 100'000), 1000) << "far away: the curves matter more";
  EXPECT_GE(top_of({}, 0), 1);
}

TEST(SweepMap, TicksAreRoundNumbers) {
  EXPECT_EQ(value_ticks(1, 100, 5), (Values{20, 40, 60, 80, 100}));
  EXPECT_EQ(value_ticks(1, 4, 10), (Values{1, 2, 3, 4}));
  EXPECT_EQ(value_ticks(7, 7, 3), (Values{7}));
  EXPECT_EQ(value_ticks(100, 1'000'000'000, 2), (Values{500'000'000, 1'000'000'000}));
}

}  // namespace sweep_map_test
}  // namespace stashscope::ui
