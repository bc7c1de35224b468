#include "core/run/cuda/device/trace_join.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace stashscope::cuda {
namespace trace_join_test {

using Kind = TraceEvent::Kind;

/// The actions of a runner on the host and the profiling library's records of them. The allocator
/// rounds up to 512 bytes and returns the addresses that the caller chooses.
class HostRun {
 public:
  void start(std::uint32_t step) {
    events.push_back({HostEvent::Kind::node_start, step, 0, Pool::tensors, 0, "node"});
    step_ = step;
  }
  void end() { events.push_back({HostEvent::Kind::node_end, step_, 0, Pool::tensors, 0, "node"}); }

  void allocate(Pool pool, std::uint64_t address, std::int64_t bytes) {
    touch({HostEvent::Kind::allocate, step_, bytes, pool, address, "tensor"});
  }
  void release(Pool pool, std::uint64_t address, std::int64_t bytes) {
    touch({HostEvent::Kind::release, step_, bytes, pool, address, "tensor"});
  }
  void kernel(std::uint64_t start, std::uint64_t end) {
    ++call_;
    records.steps.push_back({call_, step_});
    records.kernels.push_back({start, end, "kernel", call_});
  }

  JoinedTrace joined() const { return join_trace(events, records); }

  std::vector<HostEvent> events;
  TraceRecords records;

 private:
  void touch(HostEvent event) {
    const bool allocates = event.kind == HostEvent::Kind::allocate;
    const auto pool = static_cast<std::size_t>(event.pool);
    const std::int64_t rounded = (event.bytes + 511) / 512 * 512;
    used_[pool] += allocates ? rounded : -rounded;
    held_[pool] = std::max(held_[pool], used_[pool]);
    ++call_;
    records.memory.push_back({100 + call_, event.address, event.bytes, allocates, 7000 + pool,
                              used_[pool], held_[pool], call_});
    events.push_back(std::move(event));
  }

  std::uint32_t step_ = 0;
  std::uint32_t call_ = 0;
  std::array<std::int64_t, 2> used_{};
  std::array<std::int64_t, 2> held_{};
};

/// Two nodes with kernels around one without; the second reuses the first's address immediately.
HostRun small_run() {
  HostRun run;
  run.allocate(Pool::tensors, 0x1000, 1000);
  run.start(0);
  run.allocate(Pool::tensors, 0x2000, 600);
  run.allocate(Pool::workspaces, 0x9000, 300);
  run.kernel(5'000, 6'000);
  run.kernel(7'000, 9'000);
  run.release(Pool::workspaces, 0x9000, 300);
  run.end();
  run.release(Pool::tensors, 0x1000, 1000);
  run.start(1);
  run.end();
  run.start(2);
  run.allocate(Pool::tensors, 0x1000, 100);
  run.kernel(10'000, 10'500);
  run.end();
  return run;
}

Measurement measured(const JoinedTrace& joined) {
  MeasurementBuilder builder("cuda:0");
  for (const TraceEvent& event : joined.events) builder.add(event);
  return builder.take();
}

std::vector<std::int64_t> live_bytes(const JoinedTrace& joined, Kind kind) {
  std::vector<std::int64_t> live;
  for (const TraceEvent& event : joined.events) {
    if (event.kind == kind) live.push_back(event.live_bytes);
  }
  return live;
}

void expect_remark(const JoinedTrace& joined, const std::string& text) {
  EXPECT_TRUE(std::ranges::any_of(joined.remarks, [&](const std::string& remark) {
    return remark.find(text) != std::string::npos;
  })) << text;
}

TEST(TraceJoin, TimesAreTheDevicesAndBytesThePools) {
  const JoinedTrace joined = small_run().joined();
  EXPECT_TRUE(joined.remarks.empty()) << joined.remarks.front();
  const Measurement m = measured(joined);
  EXPECT_EQ(m.live_bytes, (std::vector<std::int64_t>{2048, 1024, 1536}));
  EXPECT_EQ(m.workspace_bytes, (std::vector<std::int64_t>{512, 0, 0}));
  EXPECT_EQ(m.peak_bytes, 2048);
  EXPECT_EQ(m.peak_reserved_bytes, 2048 + 512);
  ASSERT_EQ(m.node_seconds.size(), 3U);
  EXPECT_DOUBLE_EQ(m.node_seconds[0], 4e-6);
  EXPECT_EQ(m.node_seconds[1], 0);
  EXPECT_DOUBLE_EQ(m.node_seconds[2], 0.5e-6);
  EXPECT_EQ(joined.events.front().seconds, 0);
  EXPECT_DOUBLE_EQ(joined.events.back().seconds, 5.5e-6);
}

TEST(TraceJoin, TimesNeverGoBack) {
  const std::vector<TraceEvent> events = small_run().joined().events;
  EXPECT_TRUE(std::ranges::is_sorted(events, {}, &TraceEvent::seconds));
}

TEST(TraceJoin, WorkIsOfTheKernelsAlone) {
  EXPECT_EQ(small_run().joined().work,
            (std::vector<StepWork>{{(1'000 + 2'000) * 1e-9, 2}, {0, 0}, {500 * 1e-9, 1}}));
}

TEST(TraceJoin, RecordsComeInAnyOrder) {
  HostRun run = small_run();
  const std::vector<TraceEvent> events = run.joined().events;
  std::ranges::reverse(run.records.memory);
  std::ranges::reverse(run.records.kernels);
  std::ranges::reverse(run.records.steps);
  const JoinedTrace joined = run.joined();
  EXPECT_TRUE(joined.remarks.empty());
  ASSERT_EQ(joined.events.size(), events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(format_event(joined.events[i]), format_event(events[i]));
  }
}

TEST(TraceJoin, AnAddressThatComesAgainIsToldByItsOrder) {
  HostRun run;
  run.start(0);
  run.kernel(1, 2);
  for (const std::int64_t bytes : {100, 5000, 700, 1}) {
    run.allocate(Pool::tensors, 0x4000, bytes);
    run.release(Pool::tensors, 0x4000, bytes);
  }
  run.end();
  const JoinedTrace joined = run.joined();
  EXPECT_TRUE(joined.remarks.empty());
  EXPECT_EQ(live_bytes(joined, Kind::allocate), (std::vector<std::int64_t>{512, 5120, 1024, 512}));
  EXPECT_EQ(live_bytes(joined, Kind::release), (std::vector<std::int64_t>{0, 0, 0, 0}));
}

TEST(TraceJoin, WhatHasNoRecordCountsAsAskedFor) {
  HostRun run = small_run();
  std::erase_if(run.records.memory,
                [](const MemoryRecord& record) { return record.address == 0x2000; });
  run.records.dropped = 1;
  const JoinedTrace joined = run.joined();
  expect_remark(joined, "dropped 1 records");
  expect_remark(joined,
                "1 of 4 allocations and releases in the memory pool for tensors have no record");
  EXPECT_EQ(joined.remarks.size(), 2U);
  EXPECT_EQ(live_bytes(joined, Kind::allocate), (std::vector<std::int64_t>{1024, 2048, 1536}));
}

TEST(TraceJoin, RecordsOfOthersAreSaidOrLeftOut) {
  HostRun run = small_run();
  const std::vector<TraceEvent> events = run.joined().events;
  run.records.memory.push_back({101, 0xabc000, 64, true, 7000, 9999, 9999, 90});
  run.records.memory.push_back({102, 0xabd000, 64, true, 4711, 9999, 9999, 91});
  const JoinedTrace joined = run.joined();
  expect_remark(joined, "1 records of the memory pool for tensors match no allocation or release");
  EXPECT_EQ(joined.remarks.size(), 1U);
  EXPECT_EQ(joined.events.size(), events.size());
  EXPECT_EQ(measured(joined).live_bytes, measured({events, {}, {}}).live_bytes);
}

TEST(TraceJoin, WithoutRecordsOrderAndBytesAreLeft) {
  HostRun run = small_run();
  run.records = {};
  const JoinedTrace joined = run.joined();
  expect_remark(joined, "no record of a kernel belongs to a node");
  const Measurement m = measured(joined);
  EXPECT_EQ(m.live_bytes, (std::vector<std::int64_t>{2048, 1024, 1536}));
  EXPECT_EQ(m.workspace_bytes, (std::vector<std::int64_t>{512, 0, 0}));
  EXPECT_EQ(m.node_seconds, (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(m.peak_reserved_bytes, 0);
}

TEST(TraceJoin, WhatThePoolSaysOfItsMostDecidesWhatIsBelieved) {
  HostRun run = small_run();
  EXPECT_TRUE(join_trace(run.events, run.records, {}, {2048, 512}).remarks.empty());
  for (MemoryRecord& record : run.records.memory) record.pool_used = 99;
  const JoinedTrace counted = join_trace(run.events, run.records, {}, {2048, 512});
  expect_remark(counted, "the memory pool for tensors had at most 2.00 KiB in use");
  expect_remark(counted, "the memory pool for workspaces had at most 512 B in use");
  EXPECT_EQ(counted.remarks.size(), 2U);
  const Measurement m = measured(counted);
  EXPECT_EQ(m.live_bytes, (std::vector<std::int64_t>{2048, 1024, 1536}));
  EXPECT_EQ(m.workspace_bytes, (std::vector<std::int64_t>{512, 0, 0}));
  EXPECT_EQ(m.peak_reserved_bytes, 2048 + 512);
}

TEST(TraceJoin, RecordsFromBeforeTheirEventsAreNotBelieved) {
  HostRun run = small_run();
  std::array<std::int64_t, 2> last = {0, 0};
  for (MemoryRecord& record : run.records.memory) {
    std::swap(record.pool_used, last[record.pool - 7000]);
  }
  const JoinedTrace joined = join_trace(run.events, run.records, {}, {2048, 512});
  expect_remark(joined,
                "contradict the order of the runner's allocations and releases; counting the "
                "requested bytes");
  EXPECT_EQ(measured(joined).live_bytes, (std::vector<std::int64_t>{2048, 1024, 1536}));
}

TEST(TraceJoin, RecordsOfTheNearerSourceAreBelieved) {
  const HostRun run = small_run();
  const JoinedTrace joined = join_trace(run.events, run.records, {}, {4096, 512});
  EXPECT_EQ(joined.remarks.size(), 1U);
  EXPECT_EQ(measured(joined).peak_bytes, 2048);
}

TEST(TraceJoin, PoolsThatAreNotToldApartAreByTheirAddresses) {
  HostRun run = small_run();
  for (MemoryRecord& record : run.records.memory) record.pool = 7000;
  const JoinedTrace joined = run.joined();
  EXPECT_TRUE(joined.remarks.empty());
  EXPECT_EQ(measured(joined).live_bytes, measured(small_run().joined()).live_bytes);
}

TEST(TraceJoin, NothingIsJoinedToNothing) {
  const JoinedTrace joined = join_trace({}, {});
  EXPECT_TRUE(joined.events.empty());
  EXPECT_TRUE(joined.work.empty());
  EXPECT_TRUE(joined.remarks.empty());
}

}  // namespace trace_join_test
}  // namespace stashscope::cuda
