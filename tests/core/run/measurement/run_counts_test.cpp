#include "core/run/measurement/run_counts.h"

#include <gtest/gtest.h>

#include "tests/support/refusal.h"

namespace stashscope {
namespace run_counts_test {

Measurement run_of(std::vector<std::int64_t> live, std::vector<double> seconds) {
  Measurement run;
  run.device = "cpu";
  run.live_bytes = std::move(live);
  run.node_seconds = std::move(seconds);
  return run;
}

TEST(RunCounts, TimesAreMediansAndMemoryIsThatOfTheLastRun) {
  const Measurement odd =
      combined({run_of({1, 2}, {9, 1}), run_of({1, 2}, {2, 5}), run_of({1, 2}, {3, 4})});
  EXPECT_EQ(odd.node_seconds, (std::vector<double>{3, 4}));
  EXPECT_EQ(odd.live_bytes, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(odd.repeats, 3);
  EXPECT_EQ(odd.repeat_difference, 0);
  const Measurement even =
      combined({run_of({1}, {8}), run_of({1}, {2}), run_of({1}, {4}), run_of({1}, {100})});
  EXPECT_EQ(even.node_seconds, std::vector<double>{6});
}

TEST(RunCounts, OneRunIsItself) {
  const Measurement run = run_of({5, 7}, {1, 2});
  EXPECT_EQ(combined({run}), run);
}

TEST(RunCounts, MemoryThatDiffersIsTold) {
  const Measurement differing = combined({run_of({10, 20}, {1, 1}), run_of({10, 17}, {1, 1})});
  EXPECT_EQ(differing.repeat_difference, 3);
  EXPECT_EQ(differing.live_bytes[1], 17);
  const std::string said = test::refusal(ErrorKind::run, [] {
    combined({run_of({1}, {1}), run_of({1, 2}, {1, 1})});
  });
  EXPECT_NE(said.find("different numbers"), std::string::npos) << said;
}

TEST(RunCounts, SayWhichRunItIs) {
  const RunCounts counts{2, 3};
  EXPECT_EQ(describe_run(counts, 0), "warm-up 1 of 2");
  EXPECT_EQ(describe_run(counts, 2), "run 1 of 3");
  EXPECT_EQ(describe_run(counts, 4), "run 3 of 3");
  EXPECT_EQ(describe_run({0, 1}, 0), "");
}

TEST(RunCounts, AreLimited) {
  EXPECT_NO_THROW(check_run_counts({most_runs, most_runs}));
  for (const RunCounts& counts : {RunCounts{-1, 1}, RunCounts{0, 0}, RunCounts{most_runs + 1, 1},
                                  RunCounts{0, most_runs + 1}}) {
    test::refusal(ErrorKind::usage, [&] { check_run_counts(counts); });
    EXPECT_THROW(check_run_counts(counts), Error);
  }
}

}  // namespace run_counts_test
}  // namespace stashscope
