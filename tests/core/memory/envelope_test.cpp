#include "core/memory/envelope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stashscope {
namespace envelope_test {

using Numbers = std::vector<std::int64_t>;
using Bounds = std::vector<double>;

TEST(Envelope, OfWholeStepsIsTheSteps) {
  const Numbers values = {5, 1, 9};
  EXPECT_EQ(envelope(values, Bounds{0, 1, 2, 3}), (std::vector<Extremes>{{5, 5}, {1, 1}, {9, 9}}));
  EXPECT_EQ(envelope(values, Bounds{0, 3}), (std::vector<Extremes>{{1, 9}}));
}

TEST(Envelope, AStretchHasAllStepsThatItTouches) {
  const Numbers values = {5, 1, 9, 7};
  EXPECT_EQ(envelope(values, Bounds{0.5, 1.5}), (std::vector<Extremes>{{1, 5}}));
  EXPECT_EQ(envelope(values, Bounds{1.2, 1.4}), (std::vector<Extremes>{{1, 1}}));
  // The stretch ends where slot 2 begins, so slot 2 is not included.
  EXPECT_EQ(envelope(values, Bounds{0.5, 2}), (std::vector<Extremes>{{1, 5}}));
  EXPECT_EQ(envelope(values, Bounds{2, 2}), (std::vector<Extremes>{{9, 9}}));
}

TEST(Envelope, OutsideIsTheNearestStep) {
  const Numbers values = {5, 1, 9};
  EXPECT_EQ(envelope(values, Bounds{-10, -5, 0, 3, 7, 1e18}),
            (std::vector<Extremes>{{5, 5}, {5, 5}, {1, 9}, {9, 9}, {9, 9}}));
  EXPECT_EQ(envelope(values, Bounds{-1e18, 1e18}), (std::vector<Extremes>{{1, 9}}));
}

TEST(Envelope, OfFewerThanTwoBoundsIsEmpty) {
  EXPECT_TRUE(envelope(Numbers{1}, Bounds{}).empty());
  EXPECT_TRUE(envelope(Numbers{1}, Bounds{0}).empty());
  EXPECT_EQ(envelope(Numbers{3}, Bounds{0, 1}), (std::vector<Extremes>{{3, 3}}));
}

TEST(EvenBounds, BeginAndEndWhereTheyAreAsked) {
  EXPECT_EQ(even_bounds(0, 6, 3), (Bounds{0, 2, 4, 6}));
  EXPECT_EQ(even_bounds(2, 5, 0), (Bounds{2}));
  const Bounds many = even_bounds(0.1, 99.7, 1000);
  EXPECT_EQ(many.size(), 1001U);
  EXPECT_EQ(many.back(), 99.7);
  EXPECT_TRUE(std::is_sorted(many.begin(), many.end()));
}

TEST(Envelope, LosesNoExtremeAtAnyZoom) {
  std::mt19937 random(20240607);
  for (int round = 0; round < 200; ++round) {
    Numbers values(1 + random() % 300);
    for (auto& value : values) value = static_cast<std::int64_t>(random() % 1000);
    const auto steps = static_cast<double>(values.size());
    const std::vector<Extremes> found = envelope(values, even_bounds(0, steps, 1 + random() % 400));
    Extremes all = found.front();
    for (const Extremes& each : found) {
      EXPECT_LE(each.low, each.high);
      all = {std::min(all.low, each.low), std::max(all.high, each.high)};
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    ASSERT_EQ(all, (Extremes{*low, *high})) << "round " << round;
  }
}

TEST(Envelope, AWindowShowsItsOwnStepsOnly) {
  std::mt19937 random(7);
  Numbers values(500);
  for (auto& value : values) value = static_cast<std::int64_t>(random() % 1000);
  for (int round = 0; round < 200; ++round) {
    const std::size_t first = random() % 499;
    const std::size_t last = first + 1 + random() % (500 - first);
    const auto found =
        envelope(values, even_bounds(static_cast<double>(first), static_cast<double>(last), 1));
    const auto at = [&](std::size_t step) { return values.begin() + static_cast<long>(step); };
    const auto [low, high] = std::minmax_element(at(first), at(last));
    ASSERT_EQ(found, (std::vector<Extremes>{{*low, *high}})) << first << " to " << last;
  }
}

Numbers random_walk(std::mt19937& random, std::size_t count) {
  Numbers values(count);
  std::int64_t at = 1000;
  for (auto& value : values) value = at += static_cast<std::int64_t>(random() % 201) - 100;
  return values;
}

TEST(CurveExtremes, HaveTheSameEnvelope) {
  std::mt19937 random(99);
  for (int round = 0; round < 100; ++round) {
    const Numbers values = random_walk(random, 1 + random() % 5000);
    const CurveExtremes curve(values);
    const double first = static_cast<double>(random() % values.size()) - 3.5;
    const double last = first + static_cast<double>(random() % 6000);
    const Bounds bounds = even_bounds(first, last, 1 + random() % 500);
    ASSERT_EQ(envelope(curve, bounds), envelope(values, bounds)) << round;
  }
}

TEST(CurveExtremes, FindTheFirstOfTheHighestSteps) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Numbers values = random_walk(random, 1 + random() % 1000);
    const CurveExtremes curve(values);
    const std::size_t begin = random() % values.size();
    const std::size_t end = begin + 1 + random() % (values.size() - begin);
    const auto at = [&](std::size_t step) { return values.begin() + static_cast<long>(step); };
    const auto highest = std::max_element(at(begin), at(end));
    ASSERT_EQ(curve.highest({begin, end}), static_cast<std::size_t>(highest - values.begin()));
    const auto least = static_cast<std::int64_t>(random() % 3000);
    const auto next =
        std::find_if(at(begin), values.end(), [&](auto each) { return each >= least; });
    ASSERT_EQ(curve.next_at_least(begin, least), static_cast<std::size_t>(next - values.begin()));
  }
}

TEST(CurveExtremes, OfOneStepAndOfWholeBlocks) {
  EXPECT_TRUE(CurveExtremes().empty());
  EXPECT_EQ(CurveExtremes({7}).between({0, 1}), (Extremes{7, 7}));
  for (const std::size_t size : {15U, 16U, 17U, 255U, 256U, 257U, 4096U}) {
    Numbers values(size, 5);
    values.back() = 9;
    values.front() = 1;
    const CurveExtremes curve(values);
    EXPECT_EQ(curve.between({0, size}), (Extremes{1, 9})) << size;
    EXPECT_EQ(curve.highest({0, size}), size - 1);
    EXPECT_EQ(curve.next_at_least(0, 10), size);
  }
}

}  // namespace envelope_test
}  // namespace stashscope
