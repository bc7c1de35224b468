#include "core/run/measurement/trace.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>

#include "core/base/error.h"
#include "core/process/run_child.h"
#include "core/run/step/available_memory.h"

namespace stashscope {
namespace trace_test {

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
  for (const char* line :
       {"", "X 1 2 3 4", "A", "A one two", "A 1 2", "A 1 -2 3 4", "A 1 2 -3 4", "A 1 2 3 -4",
        "A 1 2 3 nan", "A 1 2 3 inf", "A 1 2 3 1e10", "A 1 9000000000000000000 3 4",
        "W 1 2 1152921504606846977 4", "A 1 99999999999999999999 3 4"}) {
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
  EXPECT_TRUE(m.workspace_bytes.empty());
}

TEST(Trace, ASlotThatRunsForEachMicroBatchHasTheMostBytesAndAllSeconds) {
  MeasurementBuilder builder("cpu");
  for (const std::int64_t bytes : {50, 70}) {
    builder.add({Kind::node_start, 0, 0, 100, 1.0, "a"});
    builder.add({Kind::allocate, 0, bytes, 100 + bytes, 1.0, "x"});
    builder.add({Kind::node_end, 0, 0, 100 + bytes, 1.5, "a"});
    builder.add({Kind::node_start, 1, 0, 100 + bytes, 2.0, "b"});
    builder.add({Kind::node_end, 1, 0, 100 + bytes, 2.25, "b"});
    builder.add({Kind::release, 1, bytes, 100, 2.25, "x"});
  }
  const Measurement m = builder.take();
  EXPECT_EQ(m.live_bytes, (std::vector<std::int64_t>{170, 170}));
  EXPECT_EQ(m.idle_bytes, (std::vector<std::int64_t>{100, 170, 100}));
  EXPECT_EQ(m.node_seconds, (std::vector<double>{1.0, 0.5}));
}

TEST(Trace, ScratchMemoryIsCountedBesideTheTensors) {
  MeasurementBuilder builder("cuda:0");
  for (const char* line : {"S 0 0 100 1 a", "W 0 30 100 1", "W 0 40 100 1", "W 0 7 100 1",
                           "H 0 4096 100 1", "E 0 0 100 2 a", "S 1 0 100 2 b", "W 1 0 100 2",
                           "H 1 2048 100 2", "E 1 0 100 3 b", "S 2 0 100 3 c", "E 2 0 100 4 c"}) {
    EXPECT_EQ(format_event(parse_event(line)), line);
    builder.add(parse_event(line));
  }
  const Measurement m = builder.take();
  EXPECT_EQ(m.workspace_bytes, (std::vector<std::int64_t>{40, 7, 0}));
  EXPECT_EQ(m.peak_reserved_bytes, 4096);
  EXPECT_EQ(m.peak_bytes, 100);
}

TEST(Trace, TensorsAndScratchMemoryAddUpStepByStep) {
  Measurement m;
  m.live_bytes = {100, 300, 200};
  m.peak_bytes = 310;  // before the first node
  EXPECT_TRUE(with_workspace(m).empty());
  EXPECT_EQ(peak_workspace(m), 0);
  EXPECT_EQ(peak_with_workspace(m), 310);
  m.workspace_bytes = {50, 0, 150};
  EXPECT_EQ(with_workspace(m), (std::vector<std::int64_t>{150, 300, 350}));
  EXPECT_EQ(peak_workspace(m), 150);
  EXPECT_EQ(peak_with_workspace(m), 350);
  m.workspace_bytes = {50, 0, 0};
  EXPECT_EQ(peak_with_workspace(m), 310);
  m.node_seconds = {0.5, 0.25};
  EXPECT_EQ(seconds_of_nodes(m), 0.75);
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

/// Whether a process is running; a dead one that no one has waited for is not.
bool runs(pid_t id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string number;
  std::string name;
  std::string state;
  return file >> number >> name >> state && state != "Z";
}

TEST(Worker, EndsWhenItsParentIsKilled) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t parent = ::fork();
  if (parent == 0) {
    run_child(
        "/bin/sh", {"-c", "echo $$; exec sleep 60"},
        [&](const std::string& line) {
          const pid_t child = std::stoi(line);
          if (::write(ends[1], &child, sizeof(child)) < 0) ::_exit(1);
        },
        Progress());
    ::_exit(0);
  }
  pid_t child = 0;
  ASSERT_EQ(::read(ends[0], &child, sizeof(child)), static_cast<ssize_t>(sizeof(child)));
  EXPECT_TRUE(runs(child));
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (int i = 0; i < 100 && runs(child); ++i) ::usleep(20'000);
  EXPECT_FALSE(runs(child));
  ::kill(child, SIGKILL);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(Memory, MoreThanThereIsIsRefusedWithBothSizes) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_NO_THROW(require_memory(1));
  try {
    require_memory(std::int64_t{1} << 50);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::run);
    EXPECT_NE(std::string(error.what()).find("1.00 PiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("smaller dimensions"), std::string::npos);
  }
}

TEST(Worker, ReadsAndWritesThoughItsParentHasNoStandardStreams) {
  const std::array<int, 2> kept = {::dup(0), ::dup(1)};
  ::close(0);
  ::close(1);
  std::vector<std::string> lines;
  EXPECT_NO_THROW(run_child(
      "/bin/cat", {}, [&](const std::string& line) { lines.push_back(line); }, Progress(), "a\n"));
  for (int stream = 0; stream < 2; ++stream) {
    ::dup2(kept[static_cast<std::size_t>(stream)], stream);
    ::close(kept[static_cast<std::size_t>(stream)]);
  }
  EXPECT_EQ(lines, std::vector<std::string>{"a"});
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

}  // namespace trace_test
}  // namespace stashscope
