// What grows from step to step, from the command line.

#include "core/snapshot/snapshot_file.h"
#include "tests/app/command_line.h"
#include "tests/core/snapshot/snapshot_builder.h"

namespace stashscope {
namespace leaks_test {

class Leaks : public CommandLine {
 protected:
  /// A snapshot with the trace of steps whose line 12 keeps a tensor of 512 bytes each.
  std::string written(int steps) const {
    test::SnapshotBuilder make;
    make.snapshot.traces.emplace_back();
    std::int64_t address = test::start;
    for (int i = 0; i < steps; ++i, address += 8192) {
      make.event("alloc", address, 4096, make.stack("/home/me/train.py", 10));
      make.event("alloc", address + 4096, 512, make.stack("/home/me/train.py", 12));
      make.event("free_completed", address, 4096);
    }
    const std::string file = in_folder(std::to_string(steps) + ".pickle");
    write_file_atomically(file, snapshot_pickle(make.snapshot));
    return file;
  }
};

TEST_F(Leaks, AreFoundInATraceAndBetweenSnapshots) {
  const Outcome one = stashscope("--find-leaks " + written(4));
  EXPECT_EQ(one.status, 0) << one.errors;
  EXPECT_NE(one.output.find("train.py:12 in main: 1.50 KiB more, 512 B a step; from 1 tensor to 4"),
            std::string::npos)
      << one.output;
  EXPECT_EQ(one.output.find("train.py:10"), std::string::npos) << one.output;
  const Outcome several =
      stashscope("--format json --find-leaks " + written(1) + " " + written(2) + " " + written(3));
  EXPECT_EQ(several.status, 0) << several.errors;
  const auto found = nlohmann::json::parse(several.output);
  EXPECT_EQ(found["live_bytes"], nlohmann::json({512, 1024, 1536}));
  ASSERT_EQ(found["leaks"].size(), 1U);
  EXPECT_EQ(found["leaks"][0]["place"], "train.py:12");
  EXPECT_EQ(found["leaks"][0]["bytes_per_step"], 512);
}

TEST_F(Leaks, WrongUseIsRefused) {
  const std::string file = written(4);
  for (const std::string& wrong :
       {"--find-leaks " + file + " --format html", "--find-leaks " + file + " " + file,
        "--batch --find-leaks " + file, "--screenshot x.png --find-leaks " + file,
        file + " --find-leaks " + file}) {
    const Outcome outcome = stashscope(wrong);
    EXPECT_EQ(outcome.status, 2) << wrong;
    expect_one_line(outcome, "stashscope");
  }
  const Outcome short_trace = stashscope("--find-leaks " + written(2));
  EXPECT_EQ(short_trace.status, 1);
  expect_one_line(short_trace, "stashscope");
}

}  // namespace leaks_test
}  // namespace stashscope
