// The axes of the memory curve, without a widget.

#include <gtest/gtest.h>

#include <QStringList>
#include <random>

#include "ui/charts/axis_ticks.h"
#include "ui/charts/byte_axis.h"
#include "ui/memory/curve_place.h"

namespace stashscope::ui {
namespace axes_test {

StepAxis axis_of(double steps) {
  StepAxis axis;
  axis.steps = steps;
  axis.left = 70;
  axis.right = 670;
  return whole(axis);
}

TEST(StepAxis, EveryStepIsFoundWhereItIsDrawn) {
  const StepAxis axis = zoomed(axis_of(120), 3, 300);
  for (std::size_t step = 0; step < 120; ++step) {
    EXPECT_EQ(axis.index_at(axis.x_of(static_cast<double>(step) + 0.5)), step);
  }
}

TEST(StepAxis, PixelsBeyondTheEndsMeanTheNearestStep) {
  const StepAxis axis = axis_of(50);
  EXPECT_EQ(axis.index_at(-1000), 0U);
  EXPECT_EQ(axis.index_at(1e9), 49U);
  EXPECT_EQ(axis_of(1).index_at(400), 0U);
}

TEST(StepAxis, ZoomKeepsWhatLiesUnderThePointer) {
  const StepAxis axis = axis_of(1000);
  const double x = 333;
  const double step = axis.step_of(x);
  const StepAxis closer = zoomed(axis, 4, x);
  EXPECT_NEAR(closer.step_of(x), step, 1e-9);
  EXPECT_NEAR(closer.last - closer.first, 250, 1e-9);
}

TEST(StepAxis, ZoomStopsAtTheEnds) {
  const StepAxis axis = axis_of(1000);
  const StepAxis out = zoomed(axis, 0.01, 300);
  EXPECT_EQ(out.first, 0);
  EXPECT_EQ(out.last, 1000);
  StepAxis in = axis;
  for (int i = 0; i < 100; ++i) in = zoomed(in, 2, 300);
  EXPECT_NEAR(in.last - in.first, fewest_steps, 1e-9);
  const StepAxis tiny = zoomed(axis_of(3), 2, 300);
  EXPECT_EQ(tiny.last - tiny.first, 3);
}

TEST(StepAxis, MovingStopsAtTheEnds) {
  const StepAxis axis = zoomed(axis_of(1000), 10, 370);
  EXPECT_EQ(moved(axis, 1e9).first, 0);
  EXPECT_EQ(moved(axis, -1e9).last, 1000);
  EXPECT_NEAR(moved(axis, 60).first, axis.first - 10, 1e-9);
}

TEST(StepAxis, AnotherLengthKeepsTheView) {
  const StepAxis axis = with_range(axis_of(1000), 500, 250);
  const StepAxis longer = with_steps(axis, 2000);
  EXPECT_NEAR(longer.first, 1000, 1e-9);
  EXPECT_NEAR(longer.last, 1500, 1e-9);
  EXPECT_EQ(with_steps(axis_of(10), 4).last, 4);
}

TEST(StepAlignment, BoundariesAndEndsMeet) {
  const StepAlignment alignment{60, 160, 50, 100};
  EXPECT_EQ(alignment.to_own(0), 0);
  EXPECT_EQ(alignment.to_own(60), 50);
  EXPECT_EQ(alignment.to_own(160), 100);
  for (const double step : {0.0, 10.0, 50.0, 75.0, 100.0}) {
    EXPECT_NEAR(alignment.to_own(alignment.to_shown(step)), step, 1e-9);
  }
}

TEST(StepAlignment, WithoutBoundariesStepsAreTheirOwn) {
  const StepAlignment alignment{100, 100, 100, 100};
  EXPECT_EQ(alignment.to_own(37), 37);
}

using Seconds = std::vector<double>;

TEST(StepClock, StepsBeginWhenThoseBeforeEnd) {
  const StepClock clock(Seconds{0.001, 0.002, 0.005});
  EXPECT_NEAR(clock.total(), 8, 1e-12);
  EXPECT_NEAR(clock.time_at(0), 0, 1e-12);
  EXPECT_NEAR(clock.time_at(1), 1, 1e-12);
  EXPECT_NEAR(clock.time_at(1.5), 2, 1e-12);
  EXPECT_NEAR(clock.time_at(3), 8, 1e-12);
  EXPECT_NEAR(clock.step_at(0.5), 0.5, 1e-12);
  EXPECT_NEAR(clock.step_at(5.5), 2.5, 1e-12);
}

TEST(StepClock, OutsideIsTheFirstStepOrThatAfterTheLast) {
  const StepClock clock(Seconds{0.001, 0.002});
  EXPECT_EQ(clock.step_at(-7), 0);
  EXPECT_EQ(clock.step_at(99), 2);
  EXPECT_EQ(clock.time_at(-7), 0);
  EXPECT_EQ(clock.time_at(99), clock.total());
  EXPECT_EQ(StepClock().total(), 0);
  EXPECT_EQ(StepClock(Seconds{0, 0}).step_at(0), 0);
}

TEST(StepClock, StepsWithoutTimeLieBetweenTheirNeighbours) {
  const StepClock clock(Seconds{0.001, 0, 0, 0.001, -3});
  EXPECT_EQ(clock.time_at(1), clock.time_at(3));
  EXPECT_EQ(clock.step_at(1), 3) << "the stretch before ends here, that behind begins here";
  EXPECT_LT(clock.step_at(0.999), 1);
  EXPECT_EQ(clock.total(), 2);
}

TEST(StepClock, ThereAndBackAgain) {
  std::mt19937 random(5);
  Seconds seconds(400);
  for (double& each : seconds) each = 1e-6 * static_cast<double>(1 + random() % 1000);
  const StepClock clock(seconds);
  double before = -1;
  for (double step = 0; step < 400; step += 0.37) {
    const double time = clock.time_at(step);
    EXPECT_GT(time, before);
    EXPECT_NEAR(clock.step_at(time), step, 1e-6);
    before = time;
  }
}

TEST(CurvePlace, OverStepsPhasesMeetOverTimeClocksCount) {
  const CurvePlace aligned(StepAlignment{60, 160, 50, 100});
  EXPECT_EQ(aligned.step_at(60), 50);
  EXPECT_EQ(aligned.position_of(50), 60);
  EXPECT_EQ(aligned.end(), 160);
  const StepClock clock(Seconds{0.004, 0.001});
  const CurvePlace timed(clock);
  EXPECT_NEAR(timed.step_at(2), 0.5, 1e-12);
  EXPECT_NEAR(timed.position_of(1), 4, 1e-12);
  EXPECT_NEAR(timed.end(), 5, 1e-12);
}

TEST(StepAxis, OverTimePixelsMeanStepsByTheClock) {
  std::mt19937 random(8);
  Seconds seconds(50);
  for (double& each : seconds) each = 1e-3 * static_cast<double>(1 + random() % 20);
  const StepClock clock(seconds);
  StepAxis axis = axis_of(clock.total());
  axis.shortest = 0.01;
  axis = zoomed(whole(axis), 5, 300);
  const CurvePlace place(clock);
  for (std::size_t step = 0; step < 50; ++step) {
    const double x = axis.x_of(place.position_of(static_cast<double>(step) + 0.5));
    EXPECT_NEAR(place.step_at(axis.step_of(x)), static_cast<double>(step) + 0.5, 1e-6);
  }
}

QStringList texts_of(const std::vector<AxisTick>& ticks) {
  QStringList texts;
  for (const AxisTick& each : ticks) texts << each.text;
  return texts;
}

TEST(AxisTicks, OfStepsAreRoundNumbersInTheMiddleOfTheirSteps) {
  EXPECT_EQ(texts_of(step_ticks(0, 100, 5)), (QStringList{"20", "40", "60", "80", "100"}));
  EXPECT_EQ(step_ticks(0, 100, 5).front().position, 19.5);
  EXPECT_EQ(texts_of(step_ticks(7, 10, 9)), (QStringList{"8", "9", "10"}));
  EXPECT_TRUE(step_ticks(5, 5, 4).empty());
}

TEST(AxisTicks, OfTimesAreInOneUnit) {
  EXPECT_EQ(texts_of(time_ticks(0, 10, 5)),
            (QStringList{"0 ms", "2 ms", "4 ms", "6 ms", "8 ms", "10 ms"}));
  EXPECT_EQ(texts_of(time_ticks(1000, 3000, 4)),
            (QStringList{"1.0 s", "1.5 s", "2.0 s", "2.5 s", "3.0 s"}));
  EXPECT_EQ(texts_of(time_ticks(0.5, 0.9, 2)), (QStringList{"600 µs", "800 µs"}));
}

TEST(AxisTicks, AreAboutAsManyAsWantedAndInside) {
  for (double length = 1e-5; length < 1e5; length *= 1.7) {
    for (const int count : {1, 4, 9}) {
      const auto ticks = time_ticks(length, 2 * length, count);
      EXPECT_LE(std::ssize(ticks), 2 * count + 2) << length;
      for (const AxisTick& each : ticks) {
        EXPECT_GE(each.position, length * (1 - 1e-6));
        EXPECT_LE(each.position, 2 * length * (1 + 1e-6));
      }
    }
  }
}

TEST(AxisTicks, AreTwoAtLeast) {
  for (double first = 0; first < 1e5; first = first * 2.3 + 0.7) {
    for (double length = 1e-4; length < 1e5; length *= 1.31) {
      for (const int count : {1, 2, 3, 7}) {
        EXPECT_GE(time_ticks(first, first + length, count).size(), 2U) << first << " " << length;
        // Two slots whose middles lie in the range.
        if (length < 2) continue;
        EXPECT_GE(step_ticks(first, first + length, count).size(), 2U) << first << " " << length;
      }
    }
  }
}

constexpr std::int64_t mebi = 1024 * 1024;
constexpr std::int64_t gibi = 1024 * mebi;

std::vector<std::string> texts(std::int64_t top, int count) {
  std::vector<std::string> texts;
  for (const ByteTick& tick : byte_ticks(top, count)) texts.push_back(tick.text);
  return texts;
}

TEST(ByteTicks, AreRoundInOneUnit) {
  EXPECT_EQ(texts(2 * gibi, 4),
            (std::vector<std::string>{"0", "0.5 GiB", "1 GiB", "1.5 GiB", "2 GiB"}));
  EXPECT_EQ(texts(255 * mebi, 5),
            (std::vector<std::string>{"0", "50 MiB", "100 MiB", "150 MiB", "200 MiB", "250 MiB"}));
  EXPECT_EQ(texts(3, 3), (std::vector<std::string>{"0", "1 B", "2 B", "3 B"}));
}

TEST(ByteTicks, SayExactlyWhereTheyAre) {
  for (const ByteTick& tick : byte_ticks(gibi + 5, 8)) {
    if (tick.bytes == 0) continue;
    EXPECT_EQ(std::stod(tick.text) * static_cast<double>(gibi), static_cast<double>(tick.bytes));
  }
}

TEST(ByteTicks, AreTwoAtLeast) {
  for (std::int64_t top = 1; top < 900 * gibi; top = top * 21 / 20 + 1) {
    for (const int count : {1, 2, 5}) EXPECT_GE(byte_ticks(top, count).size(), 2U) << top;
  }
  EXPECT_EQ(texts(0, 4), (std::vector<std::string>{"0"})) << "nothing has no scale";
}

TEST(ByteTicks, AreAboutAsManyAsWanted) {
  for (std::int64_t top = 1; top < 900 * gibi; top = top * 3 / 2 + 1) {
    for (const int count : {2, 5, 9}) {
      const auto ticks = byte_ticks(top, count);
      EXPECT_LE(ticks.back().bytes, top);
      EXPECT_LE(std::ssize(ticks), 2 * count + 1) << top << " " << count;
    }
  }
}

}  // namespace axes_test
}  // namespace stashscope::ui
