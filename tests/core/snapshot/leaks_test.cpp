#include "core/snapshot/leaks.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <vector>

#include "core/snapshot/repetition.h"
#include "tests/core/snapshot/snapshot_builder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace leaks_test {

using test::start;

std::optional<Repetition> repetition(const std::vector<std::uint32_t>& keys) {
  return repetition_at_end(keys);
}

TEST(Repetition, IsTheShortestPeriodThatReachesBackFurthest) {
  EXPECT_EQ(repetition({1, 2, 3, 1, 2, 3, 1, 2, 3}), (Repetition{9, 3, 3}));
  EXPECT_EQ(repetition({9, 8, 1, 2, 2, 1, 2, 2, 1, 2, 2}), (Repetition{11, 3, 3}));
  EXPECT_EQ(repetition({5, 5, 5, 5}), (Repetition{4, 1, 4}));
}

TEST(Repetition, MayBeFollowedByALittle) {
  EXPECT_EQ(repetition({1, 2, 3, 1, 2, 3, 1, 2, 3, 7}), (Repetition{9, 3, 3}));
}

TEST(Repetition, MayBeFollowedByUpToTwoPeriods) {
  for (std::uint32_t behind = 0; behind <= 7; ++behind) {
    std::vector<std::uint32_t> keys = {1, 2, 3, 1, 2, 3, 1, 2, 3};
    for (std::uint32_t i = 0; i < behind; ++i) keys.push_back(100 + i);
    EXPECT_EQ(repetition(keys), behind <= 6 ? std::optional(Repetition{9, 3, 3}) : std::nullopt)
        << behind;
  }
}

TEST(Repetition, TwiceIsNone) {
  EXPECT_EQ(repetition({1, 2, 3, 1, 2, 3}), std::nullopt);
  EXPECT_EQ(repetition({}), std::nullopt);
  EXPECT_EQ(repetition({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 4, 4, 4}), std::nullopt)
      << "a small part at the end is no step";
}

/// A script that trains: each line allocates through a function of its own.
class Script {
 public:
  Script() { make_.snapshot.traces.emplace_back(); }

  std::int64_t allocate(std::int64_t line, std::int64_t bytes,
                        const std::string& file = "/home/me/train.py") {
    const std::int64_t address = next_;
    next_ += bytes;
    make_.event("alloc", address, bytes, make_.stack(file, line));
    sizes_[address] = bytes;
    return address;
  }
  void free(std::int64_t address) {
    make_.event("free_requested", address, sizes_.at(address));
    make_.event("free_completed", address, sizes_.at(address));
    sizes_.erase(address);
  }

  /// An activation and a gradient that come and go, and the loss that a list keeps.
  std::int64_t step(bool keeps_loss, std::int64_t samples = 1) {
    const std::int64_t activation = allocate(10, 4096 * samples);
    const std::int64_t loss = allocate(12, 512);
    const std::int64_t gradient = allocate(14, 2048);
    free(activation);
    free(gradient);
    if (!keeps_loss) free(loss);
    return loss;
  }

  MemorySnapshot& snapshot() { return make_.snapshot; }

 private:
  test::SnapshotBuilder make_;
  std::int64_t next_ = start;
  std::map<std::int64_t, std::int64_t> sizes_;
};

TEST(Leaks, NameTheLineWhoseTensorsBecomeMore) {
  Script script;
  script.allocate(3, 1 << 20);
  for (int i = 0; i < 5; ++i) script.step(true);
  const LeakSearch search = leaks_in(script.snapshot());
  EXPECT_EQ(search.allocations_per_step, 3U);
  EXPECT_EQ(search.steps, (std::vector<std::size_t>{1, 2, 3, 4, 5}));
  ASSERT_EQ(search.leaks.size(), 1U);
  const Leak& leak = search.leaks.front();
  EXPECT_EQ(leak.place, "train.py:12");
  EXPECT_EQ(leak.function, "main");
  EXPECT_EQ(leak.growth_bytes(), 4 * 512);
  EXPECT_EQ(leak.levels.back(), (LiveLevel{5 * 512, 5}));
  EXPECT_EQ(search.levels.front().bytes, (1 << 20) + 4096 + 512 + 2048)
      << "when the first step has made its last tensor";
}

TEST(Leaks, AreFoundWhereAllIsFreedAfterTheLastStep) {
  Script script;
  std::vector<std::int64_t> losses;
  for (int i = 0; i < 5; ++i) losses.push_back(script.step(true));
  for (const std::int64_t loss : losses) script.free(loss);
  const LeakSearch search = leaks_in(script.snapshot());
  ASSERT_EQ(search.leaks.size(), 1U);
  EXPECT_EQ(search.leaks.front().growth_bytes(), 4 * 512);
}

TEST(Leaks, OfTheSameLineInTwoFilesAreToldApart) {
  Script script;
  for (int i = 0; i < 4; ++i) {
    script.allocate(5, 256, "/p/a/utils.py");
    script.allocate(5, 1024, "/p/b/utils.py");
  }
  const LeakSearch search = leaks_in(script.snapshot());
  ASSERT_EQ(search.leaks.size(), 2U);
  EXPECT_EQ(search.leaks[0].place, "/p/b/utils.py:5");
  EXPECT_EQ(search.leaks[1].place, "/p/a/utils.py:5");
}

TEST(Leaks, AreSearchedOnTheDeviceWithATrace) {
  Script script;
  for (int i = 0; i < 4; ++i) script.step(true);
  script.snapshot().segments.push_back(
      {.device = 1, .address = start << 1, .total_bytes = 1 << 30, .blocks = {}});
  const LeakSearch search = leaks_in(script.snapshot());
  EXPECT_EQ(search.device, 0);
  EXPECT_EQ(search.leaks.size(), 1U);
}

TEST(Leaks, AreNoneWhereEachStepFreesWhatItMakes) {
  Script script;
  for (int i = 0; i < 4; ++i) script.step(false);
  EXPECT_TRUE(leaks_in(script.snapshot()).leaks.empty());
}

TEST(Leaks, WhatIsFilledOnceIsNone) {
  Script script;
  std::vector<std::int64_t> kept;
  for (int i = 0; i < 8; ++i) {
    script.step(false);
    kept.push_back(script.allocate(20, 1024));
    if (kept.size() > 3) script.free(kept[kept.size() - 4]);
  }
  EXPECT_TRUE(leaks_in(script.snapshot()).leaks.empty()) << "the last three are kept";
}

TEST(Leaks, StepsOfOtherSizesAreToldByTheirLines) {
  Script script;
  for (const std::int64_t samples : {3, 1, 4, 1, 5}) script.step(true, samples);
  const LeakSearch search = leaks_in(script.snapshot());
  EXPECT_EQ(search.allocations_per_step, 3U);
  ASSERT_EQ(search.leaks.size(), 1U);
  EXPECT_EQ(search.leaks.front().place, "train.py:12");
}

TEST(Leaks, OfALongTraceAreSearchedAtSomeSteps) {
  Script script;
  for (int i = 0; i < 1000; ++i) script.step(true);
  const LeakSearch search = leaks_in(script.snapshot());
  EXPECT_EQ(search.steps.size(), most_compared);
  EXPECT_EQ(search.steps.front(), 1U);
  EXPECT_EQ(search.steps.back(), 1000U);
  ASSERT_EQ(search.leaks.size(), 1U);
  EXPECT_EQ(search.leaks.front().growth_bytes(), 999 * 512);
}

/// The trace of a script that has run some steps.
MemorySnapshot after_steps(std::size_t steps, std::int64_t other_device_bytes = 0) {
  Script script;
  for (std::size_t i = 0; i < steps; ++i) script.step(true);
  if (other_device_bytes > 0) {
    script.snapshot().segments.push_back(
        {.device = 0, .address = start << 1, .total_bytes = 1 << 20, .blocks = {}});
    script.snapshot().segments.push_back(
        {.device = 1, .address = start << 2, .total_bytes = other_device_bytes, .blocks = {}});
  }
  return std::move(script.snapshot());
}

TEST(Leaks, BetweenSnapshotsAfterOneStepEach) {
  const LeakSearch search = leaks_between(3, [](std::size_t i) { return after_steps(i + 1); });
  ASSERT_EQ(search.leaks.size(), 1U);
  EXPECT_EQ(search.leaks.front().place, "train.py:12");
  EXPECT_EQ(search.leaks.front().growth_bytes(), 2 * 512);
  EXPECT_EQ(search.allocations_per_step, 0U);
}

TEST(Leaks, BetweenSnapshotsAreThoseOfOneDevice) {
  const auto snapshot = [](std::size_t i) { return after_steps(i + 1, i == 0 ? 1 << 30 : 1024); };
  const LeakSearch search = leaks_between(3, snapshot);
  EXPECT_EQ(search.device, 0) << "that of the last";
  ASSERT_EQ(search.leaks.size(), 1U);
  EXPECT_EQ(search.leaks.front().levels.front().tensors, 1);
}

TEST(Leaks, TooFewStepsAreRefused) {
  Script script;
  script.step(true);
  script.step(true);
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { leaks_in(script.snapshot()); }).find("three"),
            std::string::npos);
  const auto two = [] { leaks_between(2, [](std::size_t) { return MemorySnapshot(); }); };
  EXPECT_NE(test::refusal(ErrorKind::usage, two).find("--compare"), std::string::npos);
  const auto nothing = [] { leaks_in(MemorySnapshot()); };
  EXPECT_NE(test::refusal(ErrorKind::input, nothing).find("_record_memory_history"),
            std::string::npos);
}

}  // namespace leaks_test
}  // namespace stashscope
