// The mapping of the chart of peak against time, without a widget.

#include "ui/panels/planner/plan_chart_map.h"

#include <gtest/gtest.h>

#include <set>

namespace stashscope::ui {
namespace plan_chart_map_test {

const QRectF plot(60, 20, 400, 200);

std::vector<ChartPoint> some_points() {
  return {
      {5'000'000'000, 0.040}, {6'000'000'000, 0.012}, {9'000'000'000, 0.001}, {9'500'000'000, 0}};
}

PlanChartMap some_map() { return map_around(some_points(), {}, plot); }

TEST(PlanChartMap, ValuesAreFoundWhereTheyAreDrawn) {
  const PlanChartMap map = some_map();
  for (const ChartPoint& point : some_points()) {
    const QPointF at = map.at(point);
    EXPECT_TRUE(plot.contains(at));
    EXPECT_NEAR(map.bytes_at(at.x()), static_cast<double>(point.peak_bytes), 1);
    EXPECT_NEAR(map.seconds_at(at.y()), point.extra_seconds, 1e-9);
  }
  EXPECT_EQ(map.y_of(0), plot.bottom());
}

TEST(PlanChartMap, HasRoomForAllPeaks) {
  const std::vector<std::int64_t> peaks = {1'000'000'000, 12'000'000'000};
  const PlanChartMap map = map_around(some_points(), peaks, plot);
  for (const std::int64_t peak : peaks) {
    EXPECT_GT(map.x_of(static_cast<double>(peak)), plot.left());
    EXPECT_LT(map.x_of(static_cast<double>(peak)), plot.right());
  }
}

TEST(PlanChartMap, IsThereForOnePointAndForNone) {
  const std::vector<ChartPoint> one = {{4096, 0}};
  const PlanChartMap map = map_around(one, {}, plot);
  EXPECT_TRUE(plot.contains(map.at(one[0])));
  EXPECT_FALSE(map.has_times);
  EXPECT_TRUE(some_map().has_times);
  EXPECT_GT(map_around({}, {}, plot).last_bytes, 0);
}

TEST(PlanChartMap, TheNearestPointIsTheOneUnderThePointer) {
  const auto points = some_points();
  const PlanChartMap map = some_map();
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_EQ(nearest_point(map, points, map.at(points[i]) + QPointF(3, -2), 12), i);
  }
  EXPECT_FALSE(nearest_point(map, points, plot.topRight(), 12));
}

TEST(PlanChartMap, TheFirstOfPointsThatAMouseCannotTellApartIsTheNearest) {
  auto points = some_points();
  const PlanChartMap map = some_map();
  const QPointF last = map.at(points.back());
  ChartPoint beside = points.back();
  beside.peak_bytes = static_cast<std::int64_t>(map.bytes_at(last.x() - 0.5));
  points.insert(points.begin(), beside);
  EXPECT_EQ(nearest_point(map, points, last, 12), 0U);
  points.front().peak_bytes = static_cast<std::int64_t>(map.bytes_at(last.x() - 3));
  EXPECT_EQ(nearest_point(map, points, last, 12), points.size() - 1);
}

TEST(ChartTicks, AreRoundTimesInOneUnit) {
  const auto texts = [](double most, int count) {
    std::vector<std::string> all;
    for (const ChartTick& tick : time_ticks(most, count)) all.push_back(tick.text);
    return all;
  };
  EXPECT_EQ(texts(0.045, 4), (std::vector<std::string>{"0", "20 ms", "40 ms"}));
  EXPECT_EQ(texts(0.0000023, 4), (std::vector<std::string>{"0", "1 µs", "2 µs"}));
  EXPECT_EQ(texts(0, 4), (std::vector<std::string>{"0"})) << "no other time is known";
  EXPECT_EQ(texts(1.3, 5), (std::vector<std::string>{"0", "0.5 s", "1.0 s"}));
}

TEST(ChartTicks, OfPeaksLieInTheRange) {
  const auto ticks = peak_ticks(5e9, 10e9, 5);
  EXPECT_GE(ticks.size(), 3U);
  for (const ChartTick& tick : ticks) {
    EXPECT_GE(tick.value, 5e9);
    EXPECT_LE(tick.value, 10e9);
    EXPECT_NE(tick.text.find("GiB"), std::string::npos);
  }
}

TEST(ChartTicks, AreTwoAtLeastWithDistinctTexts) {
  const auto distinct = [](const std::vector<ChartTick>& ticks) {
    std::set<std::string> texts;
    for (const ChartTick& tick : ticks) texts.insert(tick.text);
    return texts.size() == ticks.size() ? texts.size() : 0;
  };
  for (double most = 1e-8; most < 1e3; most *= 1.07) {
    for (const int count : {1, 2, 4}) EXPECT_GE(distinct(time_ticks(most, count)), 2U) << most;
  }
  for (double peak = 4096; peak < 1e13; peak *= 1.19) {
    // The narrowest and the widest range that `map_around` makes.
    for (const double share : {0.0224, 0.1, 0.5, 1.0}) {
      for (const int count : {1, 2, 5}) {
        const auto ticks = peak_ticks(peak * (1 - share), peak, count);
        EXPECT_GE(distinct(ticks), 2U) << peak << " " << share;
        EXPECT_LE(ticks.size(), 24U) << peak << " " << share;
        for (const ChartTick& tick : ticks) {
          EXPECT_GE(tick.value, peak * (1 - share) * (1 - 1e-12));
          EXPECT_LE(tick.value, peak * (1 + 1e-12));
        }
      }
    }
  }
}

}  // namespace plan_chart_map_test
}  // namespace stashscope::ui
