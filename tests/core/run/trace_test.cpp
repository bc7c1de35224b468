#include "core/run/trace.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/run/worker.h"

namespace stashscope {
namespace {

using Kind = TraceEvent::Kind;

TEST(Trace, EventsSurviveTheirLine) {
  const TraceEvent event{Kind::allocate, 12, 4096, 1048576, 0.125, "layer 0/w with spaces"};
  const TraceEvent read = parse_event(format_event(event));
  EXPECT_EQ(read.kind, event.kind);
  EXPECT_EQ(read.step, event.step);
  EXPECT_EQ(read.bytes, event.bytes);
  EXPECT_EQ(read.live_bytes, event.live_bytes);
  EXPECT_EQ(read.seconds, event.seconds);
  EXPECT_EQ(read.name, event.name);
}

TEST(Trace, BrokenLinesAreErrors) {
  for (const char* line : {"", "X 1 2 3 4", "A", "A one two", "A 1 2"}) {
    EXPECT_THROW(parse_event(line), Error) << line;
  }
}

TEST(Trace, AStepsLiveBytesAreTheLargestWhileItsNodeRuns) {
  MeasurementBuilder builder("cpu");
  builder.add({Kind::allocate, 0, 100, 100, 0, "weights"});
  builder.add({Kind::node_start, 0, 0, 100, 1.0, "a"});
  builder.add({Kind::allocate, 0, 50, 150, 1.0, "x"});
  builder.add({Kind::node_end, 0, 0, 150, 1.5, "a"});
  builder.add({Kind::release, 0, 50, 100, 1.5, "x"});
  builder.add({Kind::node_start, 1, 0, 100, 2.0, "b"});
  builder.add({Kind::node_end, 1, 0, 100, 2.25, "b"});
  builder.add({Kind::resident, 1, 5000, 100, 2.25, ""});
  const Measurement m = builder.take();
  EXPECT_EQ(m.live_bytes, (std::vector<std::int64_t>{150, 100}));
  EXPECT_EQ(m.node_seconds, (std::vector<double>{0.5, 0.25}));
  EXPECT_EQ(m.peak_bytes, 150);
  EXPECT_EQ(m.peak_resident_bytes, 5000);
}

TEST(Trace, DifferencesAreOfTheWorstStep) {
  EXPECT_EQ(largest_difference({1, 5, 9}, {1, 7, 8}), 2);
  EXPECT_THROW(largest_difference({1}, {1, 2}), Error);
}

void run_shell(const std::string& script, std::vector<std::string>& lines,
               const Progress& progress = Progress()) {
  run_child(
      "/bin/sh", {"-c", script}, [&](const std::string& line) { lines.push_back(line); }, progress);
}

TEST(Worker, LinesArriveWhole) {
  std::vector<std::string> lines;
  run_shell("printf 'one\\ntw'; sleep 0.1; printf 'o\\nthree'", lines);
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"}));
}

TEST(Worker, AFailureBecomesItsLastWords) {
  std::vector<std::string> lines;
  try {
    run_shell("echo partial; echo 'why it failed' >&2; exit 3", lines);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::run);
    EXPECT_STREQ(error.what(), "why it failed");
  }
  EXPECT_EQ(lines.size(), 1U);
}

TEST(Worker, ACrashBecomesAReadableMessage) {
  std::vector<std::string> lines;
  try {
    run_shell("kill -SEGV $$", lines);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("crashed"), std::string::npos) << error.what();
  }
}

TEST(Worker, CancellingKillsIt) {
  std::vector<std::string> lines;
  const Progress progress;
  const auto cancel = [&] {
    run_child(
        "/bin/sh", {"-c", "echo started; exec sleep 60"},
        [&](const std::string&) { progress.cancel(); }, progress);
  };
  EXPECT_THROW(cancel(), Error);
}

TEST(Worker, AMissingProgramIsSaid) {
  try {
    run_child(
        "/no/such/program", {}, [](const std::string&) {}, Progress());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("/no/such/program"), std::string::npos);
  }
}

}  // namespace
}  // namespace stashscope
