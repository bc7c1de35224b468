#include "core/study/search/largest_value.h"

#include <gtest/gtest.h>

#include <set>

namespace stashscope {
namespace largest_value_test {

/// Values fit by their bytes; those with `is_refused` are refused.
class Trials {
 public:
  std::int64_t memory = 0;
  std::function<std::int64_t(std::int64_t)> bytes;
  std::function<bool(std::int64_t)> is_refused = [](std::int64_t) { return false; };
  std::function<std::optional<std::int64_t>(std::int64_t)> guess = [](std::int64_t) {
    return std::nullopt;
  };
  int count = 0;

  LargestValue largest(std::optional<std::int64_t> accepted = {}) {
    return largest_value([&](std::int64_t value) { return attempt(value); }, accepted);
  }

 private:
  Trial attempt(std::int64_t value) {
    ++count;
    EXPECT_GE(value, 1);
    EXPECT_LE(value, most_value);
    if (is_refused(value)) return {};
    return {bytes(value) <= memory ? Verdict::fits : Verdict::too_large, guess(value)};
  }
};

TEST(LargestValue, IsFoundWithAndWithoutGuesses) {
  for (std::int64_t memory = 13; memory < 400; ++memory) {
    Trials trials{memory, [](std::int64_t value) { return 10 + 3 * value; }};
    const std::int64_t expected = (memory - 10) / 3;
    for (const std::int64_t off : {0, -20, 20, 1000000}) {
      trials.guess = [&](std::int64_t) { return std::optional(expected + off); };
      const LargestValue found = trials.largest();
      EXPECT_EQ(found.fits, expected) << memory << " " << off;
      EXPECT_EQ(found.fails, expected + 1);
      EXPECT_FALSE(found.refused);
    }
    trials.guess = [](std::int64_t) { return std::nullopt; };
    EXPECT_EQ(trials.largest().fits, expected);
  }
}

TEST(LargestValue, AGoodGuessNeedsFewTrials) {
  Trials trials{1'000'000, [](std::int64_t value) { return 7 * value; }};
  trials.guess = [](std::int64_t) { return std::optional<std::int64_t>(1'000'000 / 7); };
  EXPECT_EQ(trials.largest().fits, 142857);
  EXPECT_LE(trials.count, 3 + 4);
}

TEST(LargestValue, RefusedValuesAreSteppedOver) {
  for (const std::int64_t multiple : {2, 3, 8, 200}) {
    for (std::int64_t memory = multiple; memory < 3000; memory += 37) {
      Trials trials{memory, [](std::int64_t value) { return value; }};
      trials.is_refused = [&](std::int64_t value) { return value % multiple != 0; };
      trials.guess = [&](std::int64_t) { return std::optional(memory); };
      const LargestValue found = trials.largest();
      EXPECT_EQ(found.fits, memory / multiple * multiple) << memory;
      EXPECT_EQ(found.fails, (memory / multiple + 1) * multiple);
      EXPECT_EQ(found.refused, *found.fits + 1);
    }
  }
}

TEST(LargestValue, TheModelMayRefuseWhateverIsLarger) {
  Trials trials{1 << 30, [](std::int64_t value) { return value; }};
  trials.is_refused = [](std::int64_t value) { return value > 1024; };
  const LargestValue found = trials.largest();
  EXPECT_EQ(found.fits, 1024);
  EXPECT_FALSE(found.fails);
  EXPECT_EQ(found.refused, 1025);
}

TEST(LargestValue, OneAcceptedValueMayBeAllThereIs) {
  Trials trials{1 << 30, [](std::int64_t value) { return value; }};
  trials.is_refused = [](std::int64_t value) { return value != 1000; };
  EXPECT_EQ(trials.largest().refused, 1);
  EXPECT_FALSE(trials.largest().fits);
  EXPECT_EQ(trials.largest(1000).fits, 1000);
  EXPECT_EQ(trials.largest(1000).refused, 1001);
}

TEST(LargestValue, NothingFits) {
  Trials trials{10, [](std::int64_t value) { return 20 + value; }};
  trials.is_refused = [](std::int64_t value) { return value < 5; };
  const LargestValue found = trials.largest();
  EXPECT_FALSE(found.fits);
  EXPECT_EQ(found.fails, 5);
}

TEST(LargestValue, ThereMayBeNoLimit) {
  Trials trials{10, [](std::int64_t) { return 10; }};
  const LargestValue found = trials.largest();
  EXPECT_EQ(found.fits, most_value);
  EXPECT_FALSE(found.fails);
  EXPECT_FALSE(found.refused);
}

TEST(LargestValue, ASinglePeakOnTheWayHidesNothing) {
  Trials trials{100, [](std::int64_t value) { return value == 50 ? 101 : value; }};
  trials.guess = [](std::int64_t) { return std::optional<std::int64_t>(49); };
  EXPECT_EQ(trials.largest().fits, 100);
  EXPECT_EQ(trials.largest().fails, 101);
}

}  // namespace largest_value_test
}  // namespace stashscope
