// What lies where in the memory curve, without a widget.

#include <gtest/gtest.h>

#include "ui/memory/byte_axis.h"
#include "ui/memory/step_axis.h"

namespace stashscope::ui {
namespace {

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

TEST(ByteTicks, AreAboutAsManyAsWanted) {
  for (std::int64_t top = 1; top < 900 * gibi; top = top * 3 / 2 + 1) {
    for (const int count : {2, 5, 9}) {
      const auto ticks = byte_ticks(top, count);
      EXPECT_LE(ticks.back().bytes, top);
      EXPECT_LE(std::ssize(ticks), 2 * count + 1) << top << " " << count;
    }
  }
}

}  // namespace
}  // namespace stashscope::ui
