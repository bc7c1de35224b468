#include "core/allocator/trace_advice.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/core/allocator/recordings.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace trace_advice_test {

constexpr std::int64_t mebibyte = 1 << 20;

std::string name_of(const TraceTensor& tensor) {
  return tensor.event ? "event " + std::to_string(*tensor.event)
                      : "address " + std::to_string(tensor.address);
}

AllocatorEvent made(std::int64_t address, std::int64_t mebibytes) {
  return {AllocatorAction::alloc, address, mebibytes * mebibyte, 0};
}

AllocatorEvent freed(std::int64_t address, std::int64_t mebibytes) {
  return {AllocatorAction::free_completed, address, mebibytes * mebibyte, 0};
}

/// Three tensors leave room that three others cut into pieces, and a seventh fits none of these.
const std::vector<AllocatorEvent> fragmenting = {
    made(1, 30),  made(2, 30), made(3, 30), freed(1, 30), freed(2, 30),
    freed(3, 30), made(4, 11), made(5, 20), made(6, 21),  made(7, 30)};

TEST(TraceAdvice, NamesTheTensorWithoutRoomAndThoseInItsWay) {
  const AllocatorAdvice advice = trace_advice(fragmenting, {}, name_of);
  EXPECT_EQ(advice.trials[0].settings, AllocatorSettings());
  EXPECT_EQ(advice.trials[0].reserved_bytes, 120 * mebibyte);
  EXPECT_EQ(advice.trials[0].fragmentation_bytes, 30 * mebibyte);
  EXPECT_EQ(advice.trials[1].settings, parse_allocator_settings("expandable_segments:True"));
  EXPECT_EQ(advice.trials[1].reserved_bytes, 100 * mebibyte) << "five pages of 20 MiB";
  // Quarters: 11 rounds up to 12 and leaves 20 of 32, where the next tensor fits.
  const AllocatorTrial& best = advice.trials[advice.best];
  EXPECT_EQ(best.settings, parse_allocator_settings("roundup_power2_divisions:4"));
  EXPECT_EQ(best.reserved_bytes, 96 * mebibyte);
  ASSERT_TRUE(advice.growth);
  EXPECT_EQ(advice.growth->tensor, "event 9");
  EXPECT_EQ(advice.growth->bytes, 30 * mebibyte);
  EXPECT_EQ(advice.growth->grown_bytes, 30 * mebibyte);
  EXPECT_EQ(advice.growth->free_bytes, (19 + 10 + 9) * mebibyte);
  EXPECT_EQ(advice.growth->largest_free_bytes, 19 * mebibyte);
  EXPECT_EQ(advice.growth->between, (std::vector<std::string>{"event 6", "event 7", "event 8"}));
}

TEST(TraceAdvice, TheDefaultSettingsReserveWhatTheRecordedAllocatorDid) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    Recorder recorder(seed);
    recorder.work(3000, true);
    const AllocatorAdvice advice =
        trace_advice(recorder.events(), state_of(recorder.allocator()), name_of);
    EXPECT_EQ(advice.trials[0].reserved_bytes, recorder.allocator().most_reserved_bytes()) << seed;
    ASSERT_TRUE(advice.growth);
    EXPECT_GE(advice.growth->grown_bytes, 2 * mebibyte);
    EXPECT_EQ(advice.growth->tensor.substr(0, 6), "event ");
  }
}

TEST(TraceAdvice, CountsTensorsFromBeforeTheTrace) {
  const std::vector<AllocatorEvent> events = {freed(4096, 5), made(4096, 5)};
  const RecordedState end{{},
                          {{4096,
                            20 * mebibyte,
                            0,
                            MemoryPool::large,
                            false,
                            {{4096, 5 * mebibyte, 5 * mebibyte, false},
                             {4096 + 5 * mebibyte, 15 * mebibyte, 15 * mebibyte, false}}}}};
  const AllocatorAdvice advice = trace_advice(events, end, name_of);
  EXPECT_EQ(advice.trials[0].reserved_bytes, 20 * mebibyte);
  EXPECT_EQ(advice.trials[0].fragmentation_bytes, 0);
  ASSERT_TRUE(advice.growth);
  EXPECT_EQ(advice.growth->tensor, "address 4096");
}

TEST(TraceAdvice, AReleaseCostsOnlyWhatWasFreed) {
  // If each release looked at all free blocks, this would take minutes.
  constexpr std::int64_t pairs = 60'000;
  std::vector<AllocatorEvent> events;
  for (std::int64_t i = 1; i <= 2 * pairs; ++i) {
    events.push_back({AllocatorAction::alloc, i, 512, 0});
  }
  for (std::int64_t i = 1; i <= pairs; ++i) {
    events.push_back({AllocatorAction::free_completed, 2 * i, 512, 0});
    events.push_back({AllocatorAction::segment_free, 2 * i, 512, 0});
  }
  const AllocatorAdvice advice = trace_advice(events, {}, name_of);
  EXPECT_EQ(advice.trials[0].fragmentation_bytes,
            advice.trials[0].reserved_bytes - 2 * pairs * 512);
}

TEST(TraceAdvice, BlocksWithoutARequestedSizeAreFull) {
  const RecordedState end = parse_recorded_state(
      R"({"segments": [{"address": 1073741824, "total_size": 104857600, "segment_type": "large",
          "blocks": [{"address": 1073741824, "size": 104857600, "state": "active_allocated"}]}]})");
  EXPECT_EQ(trace_advice({}, end, name_of).trials[0].reserved_bytes, 100 * mebibyte);
}

TEST(TraceAdvice, TriesTheRecordedSettingsToo) {
  RecordedState end;
  end.settings.max_split_bytes = 33 * mebibyte;
  const AllocatorAdvice with = trace_advice(fragmenting, end, name_of);
  const AllocatorAdvice without = trace_advice(fragmenting, {}, name_of);
  EXPECT_EQ(with.trials.size(), without.trials.size() + 1);
  EXPECT_EQ(with.trials.back().settings, end.settings);
}

TEST(TraceAdvice, RefusesWhatCannotBePlayed) {
  const std::vector<AllocatorEvent> unknown = {made(1, 1), freed(1, 1), freed(1, 1)};
  EXPECT_NE(
      test::refusal(ErrorKind::input, [&] { trace_advice(unknown, {}, name_of); }).find("event 2"),
      std::string::npos);
  RecordedState end;
  end.settings.expandable_segments = true;
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { trace_advice({}, end, name_of); }), "accepted");
}

/// The peak of the tensors of a trace, counted from its end backwards.
std::int64_t peak_of(const SharedRecording& recording) {
  std::map<std::int64_t, std::int64_t> sizes;  // of the tensors that live, by address
  std::int64_t live = 0;
  for (const RecordedSegment& segment : recording.end.segments) {
    for (const RecordedBlock& block : segment.blocks) {
      if (block.is_free) continue;
      sizes[block.address] = block.requested_bytes;
      live += block.requested_bytes;
    }
  }
  std::int64_t peak = live;
  for (auto event = recording.events.rbegin(); event != recording.events.rend(); ++event) {
    if (event->action == AllocatorAction::free_completed) live += event->bytes;
    if (event->action == AllocatorAction::alloc) live -= event->bytes;
    peak = std::max(peak, live);
  }
  return peak;
}

class TraceAdviceOfRecordings : public ::testing::TestWithParam<std::string> {};

TEST_P(TraceAdviceOfRecordings, IsTheLeastOfAllTrialsAndNamesTensors) {
  const auto recording = shared_recording(GetParam());
  if (!recording) GTEST_SKIP() << GetParam() << " is absent";
  const AllocatorAdvice advice = trace_advice(recording->events, recording->end, name_of);
  const std::int64_t peak = peak_of(*recording);
  for (const AllocatorTrial& trial : advice.trials) {
    EXPECT_LE(advice.trials[advice.best].reserved_bytes, trial.reserved_bytes);
    EXPECT_EQ(trial.reserved_bytes - trial.fragmentation_bytes, peak);
    EXPECT_GE(trial.fragmentation_bytes, 0);
  }
  ASSERT_TRUE(advice.growth);
  const std::string reason = reason_text(advice);
  EXPECT_NE(reason.find(advice.growth->tensor), std::string::npos) << reason;
}

INSTANTIATE_TEST_SUITE_P(Shared, TraceAdviceOfRecordings, ::testing::ValuesIn(shared_recordings));

}  // namespace trace_advice_test
}  // namespace stashscope
