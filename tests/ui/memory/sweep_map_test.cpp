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

TEST(SweepMap, TheFirstSizeThatDoesNotFitIsFoundOnAStraightLine) {
  const std::vector<SweepPoint> points = {{1, "", 0, 110}, {11, "", 0, 210}};  // 100 + 10 * size
  EXPECT_FALSE(size_beyond(points, 0)) << "no memory is known";
  EXPECT_FALSE(size_beyond(points, 209)) << "the last size does not fit";
  const auto beyond = size_beyond(points, 1100);
  ASSERT_TRUE(beyond);
  EXPECT_GT(*beyond, 101) << "100 fits";
  EXPECT_LT(*beyond, 120);
  EXPECT_FALSE(size_beyond({{1, "", 0, 110}}, 1100));
  EXPECT_FALSE(size_beyond({{1, "", 0, 110}, {11, "refused", 0, 0}}, 1100));
  EXPECT_FALSE(size_beyond({{1, "", 0, 110}, {11, "", 0, 110}}, 1100)) << "it always fits";
  EXPECT_GT(size_beyond({{1, "", 0, 0}, {2, "", 0, 1}}, std::int64_t{1} << 62), 1'000'000'000);
}

TEST(SweepMap, TicksAreTwoAtLeast) {
  for (std::int64_t from = 1; from < 2'000'000; from = 3 * from + 1) {
    for (std::int64_t length = 1; length < 2'000'000; length = length * 13 / 10 + 1) {
      for (const int count : {1, 2, 5}) {
        EXPECT_GE(value_ticks(from, from + length, count).size(), 2U) << from << " " << length;
      }
    }
  }
}

}  // namespace sweep_map_test
}  // namespace stashscope::ui
