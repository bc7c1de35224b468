// Traces of real devices. The part `device` of bench/gpu/check.sh saves one beside its results; the
// kept ones are in tests/fixtures/traces.

#include "recorded_trace.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/folder.h"

namespace stashscope::testing_run {
namespace recorded_trace_test {

namespace fs = std::filesystem;
using cuda::HostEvent;
using cuda::Pool;

std::vector<std::string> lines_of(const cuda::JoinedTrace& joined) {
  std::vector<std::string> lines = joined.remarks;
  for (const TraceEvent& event : joined.events) lines.push_back(format_event(event));
  return lines;
}

TEST(TraceJoinOfRecords, IsTheSameFromAFile) {
  RecordedTrace trace;
  trace.start = {512, 0};
  trace.most = {1536, 0};
  trace.events = {{HostEvent::Kind::node_start, 0, 0, Pool::tensors, 0, "node"},
                  {HostEvent::Kind::allocate, 0, 1000, Pool::tensors, 0xF000'0000'0000'0000, "x"},
                  {HostEvent::Kind::node_end, 0, 0, Pool::tensors, 0, "node"}};
  trace.records = {{{100, 0xF000'0000'0000'0000, 1000, true, 7, 1536, 4096, 1}},
                   {{200, 350, "kernel", 2}},
                   {{1, 0}, {2, 0}},
                   3};
  const test::Folder folder;
  save_trace(trace, folder / "small.trace");
  const cuda::JoinedTrace loaded = load_trace(folder / "small.trace").joined();
  EXPECT_EQ(lines_of(loaded), lines_of(trace.joined()));
  EXPECT_EQ(loaded.work, trace.joined().work);
  ASSERT_EQ(loaded.remarks.size(), 1U);
  EXPECT_EQ(loaded.remarks[0], "the profiling library dropped 3 records");
}

std::vector<fs::path> recorded_traces() {
  std::vector<fs::path> files;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(STASHSCOPE_FIXTURES "/traces", none)) {
    if (entry.path().extension() == ".trace") files.push_back(entry.path());
  }
  return files;
}

std::int64_t most_in_use(const RecordedTrace& trace, const cuda::JoinedTrace& joined) {
  std::int64_t most = trace.start.tensors;
  for (const TraceEvent& event : joined.events) most = std::max(most, event.live_bytes);
  return most;
}

TEST(TraceJoinOfRecords, OfDevicesLeavesNothingOpen) {
  const std::vector<fs::path> files = recorded_traces();
  if (files.empty()) GTEST_SKIP() << "no trace of a device is in " STASHSCOPE_FIXTURES "/traces";
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.filename());
    const RecordedTrace trace = load_trace(file);
    const cuda::JoinedTrace joined = trace.joined();
    for (const std::string& remark : joined.remarks) ADD_FAILURE() << remark;
    EXPECT_FALSE(joined.work.empty());
    for (const cuda::StepWork& work : joined.work) EXPECT_GT(work.kernel_seconds, 0);
    EXPECT_TRUE(std::ranges::is_sorted(joined.events, {}, &TraceEvent::seconds));
    EXPECT_EQ(most_in_use(trace, joined), trace.most.tensors);
  }
}

}  // namespace recorded_trace_test
}  // namespace stashscope::testing_run
