#include "core/allocator/replay.h"

#include <gtest/gtest.h>

#include "core/allocator/start_state.h"
#include "tests/core/allocator/recordings.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace replay_test {

constexpr std::int64_t mebibyte = 1 << 20;

TEST(Replay, RepeatsARecordingFromItsFirstMoment) {
  Recorder recorder(3);
  recorder.work(4000, true);
  const RecordedState end = state_of(recorder.allocator());
  const ReplayResult result = replay(recorder.events(), end, ReplayAddresses::recorded);
  EXPECT_GT(result.allocations, 1000);
  EXPECT_EQ(result.at_recorded_address, result.allocations);
  EXPECT_GT(result.new_segments, 5);
  EXPECT_EQ(result.new_segments_right, result.new_segments);
  EXPECT_EQ(result.start_bytes, 0);
  EXPECT_EQ(result.reserved_end_bytes, recorder.allocator().reserved_bytes());
  EXPECT_FALSE(result.first_difference);
  EXPECT_EQ(replay(recorder.events(), end, ReplayAddresses::own).reserved_end_bytes,
            result.reserved_end_bytes);
}

TEST(Replay, FindsTheStateBeforeARecording) {
  std::int64_t allocations = 0;
  std::int64_t right = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Recorder recorder(seed);
    recorder.work(600, false);
    const std::int64_t before = recorder.allocator().reserved_bytes();
    recorder.work(2000, true);
    const RecordedState end = state_of(recorder.allocator());
    const ReplayResult result = replay(recorder.events(), end, ReplayAddresses::recorded);
    EXPECT_EQ(result.start_bytes, before) << seed;
    EXPECT_EQ(result.reserved_end_bytes, recorder.allocator().reserved_bytes()) << seed;
    allocations += result.allocations;
    right += result.at_recorded_address;
  }
  // The recording does not tell the size of every block from before it.
  EXPECT_GE(static_cast<double>(right), 0.99 * static_cast<double>(allocations));
}

TEST(Replay, TellsWhereItDiffers) {
  const RecordedState end{{},
                          {{1 << 30,
                            20 * mebibyte,
                            0,
                            MemoryPool::large,
                            false,
                            {{1 << 30, 4 * mebibyte, 0, true},
                             {(1 << 30) + 4 * mebibyte, 4 * mebibyte, 4 * mebibyte, false},
                             {(1 << 30) + 8 * mebibyte, 12 * mebibyte, 0, true}}}}};
  const std::vector<AllocatorEvent> events = {
      {AllocatorAction::alloc, (1 << 30) + 4 * mebibyte, 4 * mebibyte, 0}};
  const ReplayResult result = replay(events, end, ReplayAddresses::recorded);
  EXPECT_EQ(result.allocations, 1);
  EXPECT_EQ(result.at_recorded_address, 0);
  ASSERT_TRUE(result.first_difference);
  EXPECT_EQ(result.first_difference->event, 0U);
  EXPECT_EQ(result.first_difference->address, 1 << 30);
}

TEST(Replay, RefusesAFreeOfNoTensor) {
  const std::vector<AllocatorEvent> events = {{AllocatorAction::alloc, 1024, 512, 0},
                                              {AllocatorAction::free_completed, 1024, 512, 0},
                                              {AllocatorAction::free_completed, 1024, 512, 0}};
  const std::string said = test::refusal(
      ErrorKind::input, [&] { replay(events, RecordedState{}, ReplayAddresses::own); });
  EXPECT_NE(said.find("event 2"), std::string::npos) << said;
}

TEST(Replay, RefusesSegmentsThatGrow) {
  const std::vector<AllocatorEvent> events = {{AllocatorAction::alloc, 1024, 512, 0},
                                              {AllocatorAction::segment_map, 1024, 512, 0}};
  const std::string said = test::refusal(
      ErrorKind::input, [&] { replay(events, RecordedState{}, ReplayAddresses::recorded); });
  EXPECT_NE(said.find("event 1"), std::string::npos) << said;
  EXPECT_NE(said.find("expandable"), std::string::npos) << said;
  RecordedState end;
  end.settings.expandable_segments = true;
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { replay({}, end, ReplayAddresses::own); })
                .find("expandable"),
            std::string::npos);
}

TEST(MemoryTrace, SizesWhoseSumOverflowsAreRefused) {
  EXPECT_NE(test::refusal(ErrorKind::input,
                          [&] { parse_trace_events("action,addr,size\nalloc,1,1099511627777\n"); })
                .find("line 2: has the number 1099511627777"),
            std::string::npos);
  std::string csv = "action,addr,size\n";
  for (int i = 0; i < (1 << 18) + 1; ++i) csv += "alloc,1,1099511627776\n";
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { parse_trace_events(csv); }).find("sum"),
            std::string::npos);
}

TEST(MemoryTrace, RecordedSettingsThatCannotBeReadAreAnInputError) {
  const std::string said = test::refusal(ErrorKind::input, [] {
    parse_recorded_state(R"({"settings": {"PYTORCH_CUDA_ALLOC_CONF": "no_such:1"},
                             "segments": []})");
  });
  EXPECT_NE(said.find("no_such"), std::string::npos) << said;
}

TEST(MemoryTrace, LinesAreNamedInErrors) {
  EXPECT_EQ(parse_trace_events("size,action,addr\n512,alloc,7\r\n\n,segment_free,9\n").size(), 2U);
  for (const char* const wrong :
       {"", "a,b\n", "action,addr,size\nalloc,1\n", "action,addr,size\nalloc,1,-5\n",
        "action,addr,size\nmove,1,5\n"}) {
    const std::string said = test::refusal(ErrorKind::input, [&] { parse_trace_events(wrong); });
    EXPECT_NE(said.find("line "), std::string::npos) << said;
  }
}

TEST(MemoryTrace, StatesAreChecked) {
  const RecordedState state = parse_recorded_state(
      R"({"settings": {"PYTORCH_CUDA_ALLOC_CONF": "max_split_size_mb:64"}, "segments": [
      {"address": 4096, "total_size": 2048, "stream": 3, "segment_type": "small",
       "blocks": [[4096, 512, 100, "active_allocated"], {"address": 4608, "size": 1536,
       "state": "inactive"}]}]})");
  ASSERT_EQ(state.segments.size(), 1U);
  EXPECT_EQ(state.reserved_bytes(), 2048);
  EXPECT_EQ(state.settings.max_split_bytes, 64 * mebibyte);
  EXPECT_TRUE(state.segments[0].blocks[1].is_free);
  for (const char* const wrong :
       {"", "[]", R"({"segments": 1})", R"({"segments": [1]})",
        R"({"segments": [{"address": 1, "total_size": 2048, "segment_type": "small",
            "blocks": [[1, 2048, 2049, "active_allocated"]]}]})",
        R"({"segments": [{"address": 1, "total_size": -1, "segment_type": "small"}]})",
        R"({"segments": [{"address": 1, "total_size": 2048, "segment_type": "medium"}]})",
        R"({"segments": [{"address": 1, "total_size": 2048, "segment_type": "small",
            "blocks": [[1, 512, 5, "inactive"]]}]})",
        R"({"segments": [{"address": 1, "total_size": 1e300, "segment_type": "small"}]})"}) {
    EXPECT_NE(test::refusal(ErrorKind::input, [&] { parse_recorded_state(wrong); }), "accepted")
        << wrong;
  }
}

/// Traces of GPUs, recorded by PyTorch.
class RecordedTraces : public ::testing::TestWithParam<std::string> {};

TEST_P(RecordedTraces, AreRepeatedToTheByte) {
  const auto recording = shared_recording(GetParam());
  if (!recording) GTEST_SKIP() << GetParam() << " is absent";
  const auto& [events, end] = *recording;
  const ReplayResult result = replay(events, end, ReplayAddresses::recorded);
  EXPECT_GT(result.allocations, 1000);
  EXPECT_EQ(result.at_recorded_address, result.allocations);
  EXPECT_EQ(result.new_segments_right, result.new_segments);
  EXPECT_EQ(result.reserved_end_bytes, end.reserved_bytes());
  const ReplayResult own = replay(events, end, ReplayAddresses::own);
  EXPECT_EQ(own.reserved_end_bytes, end.reserved_bytes());
  EXPECT_EQ(own.new_segments_right, own.new_segments);
}

INSTANTIATE_TEST_SUITE_P(Shared, RecordedTraces, ::testing::ValuesIn(shared_recordings));

}  // namespace replay_test
}  // namespace stashscope
