#include "core/snapshot/snapshot_file.h"

#include <gtest/gtest.h>

#include "core/base/files.h"
#include "core/snapshot/pickle_writer.h"
#include "core/snapshot/snapshot_recording.h"
#include "core/snapshot/snapshot_use.h"
#include "tests/core/snapshot/snapshot_builder.h"
#include "tests/support/folder.h"
#include "tests/support/refusal.h"

namespace stashscope {
namespace snapshot_file_test {

using test::mebibyte;
using test::start;
using Builder = test::SnapshotBuilder;

/// A parameter of 4 MiB from before the trace, and a tensor of 8 MiB that the trace frees after it
/// has made one of 6 MiB.
MemorySnapshot small_snapshot() {
  Builder make;
  const SnapshotStackId parameter = make.stack("/home/me/model.py", 3);
  make.snapshot.segments.push_back({.address = start,
                                    .total_bytes = 20 * mebibyte,
                                    .allocated_bytes = 10 * mebibyte,
                                    .active_bytes = 10 * mebibyte,
                                    .requested_bytes = 10 * mebibyte - 24});
  make.block(4 * mebibyte, 4 * mebibyte - 24, "active_allocated", parameter);
  make.block(6 * mebibyte, 6 * mebibyte, "active_allocated", make.stack("/home/me/train.py", 12));
  make.block(10 * mebibyte, 0, "inactive");
  make.snapshot.traces.emplace_back();
  make.event("alloc", start + 4 * mebibyte, 6 * mebibyte, make.stack("/home/me/train.py", 12));
  make.event("free_requested", start + 64 * mebibyte, 8 * mebibyte);
  make.event("free_completed", start + 64 * mebibyte, 8 * mebibyte);
  make.event("segment_free", start + 64 * mebibyte, 20 * mebibyte);
  make.event("oom", 77, 80 * mebibyte);
  make.snapshot.settings.value = SnapshotData::Dict{
      {"PYTORCH_CUDA_ALLOC_CONF", {std::string("max_split_size_mb:128")}},
      {"max_split_size", {128 * mebibyte}},
      {"garbage_collection_threshold", {0.5}},
      {"expandable_segments", {false}},
      {"roundup_power2_divisions", {SnapshotData::Dict{{"1", {std::int64_t{0}}}}}}};
  return parse_snapshot(snapshot_pickle(make.snapshot));
}

TEST(SnapshotFile, ComesBackEqual) {
  const MemorySnapshot once = small_snapshot();
  EXPECT_EQ(parse_snapshot(snapshot_pickle(once)), once);
  EXPECT_EQ(once.traces[0].size(), 5U);
  EXPECT_EQ(once.traces[0].back().address, 77);
  EXPECT_EQ(once.segments[0].blocks[1].bytes, 6 * mebibyte);
}

TEST(SnapshotFile, ASnapshotWithAnotherEventDiffers) {
  const MemorySnapshot once = small_snapshot();
  MemorySnapshot other = small_snapshot();
  other.traces[0][0].time += 1;
  EXPECT_NE(other, once);
}

TEST(SnapshotFile, IsToldApartFromAModel) {
  const test::Folder folder;
  write_file_atomically(folder / "a.bin", snapshot_pickle(small_snapshot()));
  write_file_atomically(folder / "b.onnx", std::string("\x08\x08") + "model");
  write_file_atomically(folder / "c.pickle", "(dp0\n.");
  EXPECT_TRUE(is_snapshot_file(folder / "a.bin"));
  EXPECT_FALSE(is_snapshot_file(folder / "b.onnx"));
  EXPECT_TRUE(is_snapshot_file(folder / "c.pickle"));
  EXPECT_FALSE(is_snapshot_file(folder / "absent.pickle"));
}

TEST(SnapshotFile, ErrorsNameThePlace) {
  MemorySnapshot snapshot = small_snapshot();
  snapshot.segments[0].blocks[1].bytes = std::int64_t{1} << 60;
  const auto refused = [&] {
    return test::refusal(ErrorKind::input, [&] { parse_snapshot(snapshot_pickle(snapshot)); });
  };
  EXPECT_NE(refused().find("segment 0: block 1: "), std::string::npos) << refused();
  snapshot = small_snapshot();
  snapshot.traces[0][2].bytes = -1;
  EXPECT_NE(refused().find("the trace of device 0: event 2: the field 'size'"), std::string::npos)
      << refused();
}

TEST(SnapshotFile, BlocksInEachOtherAndTensorsLargerThanTheirBlockAreRefused) {
  MemorySnapshot snapshot = small_snapshot();
  const auto refused = [&] {
    return test::refusal(ErrorKind::input, [&] { parse_snapshot(snapshot_pickle(snapshot)); });
  };
  snapshot.segments[0].blocks[1].address -= 512;
  EXPECT_NE(refused().find("block 1: lies"), std::string::npos) << refused();
  snapshot = small_snapshot();
  snapshot.segments[0].blocks[1].requested_bytes = 7 * mebibyte;
  EXPECT_NE(refused().find("requested_size"), std::string::npos) << refused();
  snapshot = small_snapshot();
  snapshot.traces[0][0].bytes = std::int64_t{1} << 60;
  EXPECT_NE(refused().find("event 0: the field 'size'"), std::string::npos) << refused();
}

TEST(SnapshotRecording, SettingsThatAreNotKnownAreTold) {
  MemorySnapshot snapshot = small_snapshot();
  snapshot.settings.value =
      SnapshotData::Dict{{"PYTORCH_CUDA_ALLOC_CONF", {std::string("no_such_setting:1")}}};
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { settings_of(snapshot); }).find("no_such_setting"),
            std::string::npos);
}

TEST(SnapshotFile, SizesWhoseSumOverflowsAreRefused) {
  MemorySnapshot snapshot;
  for (int each = 0; each < 16; ++each) {
    snapshot.segments.push_back({.address = 0, .total_bytes = std::int64_t{1} << 60});
  }
  EXPECT_NE(test::refusal(ErrorKind::input, [&] { parse_snapshot(snapshot_pickle(snapshot)); }),
            "accepted");
}

/// A dict is searched from its end, so one with many fields would take long for each of its uses.
TEST(SnapshotFile, DictsWithMoreFieldsThanASnapshotHasAreRefused) {
  PickleWriter writer;
  writer.begin_list();
  writer.begin_dict();
  writer.text("address");
  writer.integer(0);
  for (int each = 0; each < 100; ++each) {
    writer.text("field" + std::to_string(each));
    writer.integer(0);
  }
  writer.end_dict();
  writer.end_list();
  const std::string pickle = std::move(writer).finish();
  const std::string said = test::refusal(ErrorKind::input, [&] { parse_snapshot(pickle); });
  EXPECT_NE(said.find("a dict with 101 fields"), std::string::npos) << said;
}

/// 100,000 settings that share one dict whose key has 50,000 bytes.
TEST(SnapshotFile, LongKeysTakeNoMoreThanTheBudget) {
  PickleWriter writer;
  writer.begin_dict();
  writer.text("segments");
  writer.begin_list();
  writer.end_list();
  writer.text("allocator_settings");
  writer.begin_list();
  writer.begin_dict();
  writer.text(std::string(50'000, 'k'));
  writer.none();
  writer.end_dict();
  const std::uint32_t settings = writer.remember();
  for (int each = 0; each < 100'000; ++each) writer.recall(settings);
  writer.end_list();
  writer.end_dict();
  const std::string pickle = std::move(writer).finish();
  const std::string said = test::refusal(ErrorKind::input, [&] { parse_snapshot(pickle); });
  EXPECT_NE(said.find("too much memory"), std::string::npos) << said;
}

/// 200 segments share one list of 100,000 blocks: a small file, but 20,000,000 blocks.
TEST(SnapshotFile, ListsThatSegmentsShareTakeNoMoreThanTheBudget) {
  PickleWriter writer;
  writer.begin_list();
  writer.begin_list();
  for (int each = 0; each < 100'000; ++each) {
    writer.begin_dict();
    writer.text("size");
    writer.integer(0);
    writer.end_dict();
  }
  writer.end_list();
  const std::uint32_t blocks = writer.remember();
  for (int each = 0; each < 200; ++each) {
    writer.begin_dict();
    for (const char* const key : {"address", "total_size"}) {
      writer.text(key);
      writer.integer(0);
    }
    writer.text("segment_type");
    writer.text("small");
    writer.text("blocks");
    writer.recall(blocks);
    writer.end_dict();
  }
  writer.end_list();
  std::string pickle = std::move(writer).finish();
  const std::string first = test::refusal(ErrorKind::input, [&] { parse_snapshot(pickle); });
  EXPECT_NE(first.find("segment 0: it is not a dict"), std::string::npos) << first;
  // The list of blocks is no segment: take it off the list of segments.
  const std::size_t after = pickle.find(std::string("e\x94") + "}(");
  pickle.insert(after + 2, "0");
  const std::string second = test::refusal(ErrorKind::input, [&] { parse_snapshot(pickle); });
  EXPECT_NE(second.find("too much memory"), std::string::npos) << second;
}

TEST(SnapshotFile, OlderSnapshotsHaveBlocksWithoutAddressesAndWithAHistory) {
  PickleWriter writer;
  writer.begin_list();
  writer.begin_dict();
  for (const auto& [key, value] : {std::pair<const char*, std::int64_t>{"device", 1},
                                   {"address", start},
                                   {"total_size", 2 * mebibyte}}) {
    writer.text(key);
    writer.integer(value);
  }
  writer.text("segment_type");
  writer.text("small");
  writer.text("blocks");
  writer.begin_list();
  for (const char* const state : {"active_allocated", "inactive"}) {
    writer.begin_dict();
    writer.text("size");
    writer.integer(mebibyte);
    writer.text("state");
    writer.text(state);
    if (std::string(state) == "active_allocated") {
      writer.text("history");
      writer.begin_list();
      writer.begin_dict();
      writer.text("real_size");
      writer.integer(1000);
      writer.end_dict();
      writer.end_list();
    }
    writer.end_dict();
  }
  writer.end_list();
  writer.end_dict();
  writer.end_list();
  const MemorySnapshot snapshot = parse_snapshot(std::move(writer).finish());
  ASSERT_EQ(snapshot.segments.size(), 1U);
  const SnapshotSegment& segment = snapshot.segments[0];
  EXPECT_EQ(segment.blocks[1].address, start + mebibyte);
  EXPECT_EQ(segment.requested_bytes, 1000);
  EXPECT_EQ(segment.allocated_bytes, mebibyte);
  EXPECT_EQ(main_device(snapshot), 1);
}

TEST(SnapshotUse, FindsThePeakOfATraceThatBeganLater) {
  const SnapshotUse use = snapshot_use(small_snapshot());
  EXPECT_EQ(use.peak_bytes, 18 * mebibyte - 24);
  EXPECT_EQ(use.end_bytes, 10 * mebibyte - 24);
  EXPECT_EQ(use.reserved_bytes, 40 * mebibyte);
  EXPECT_EQ(use.reserved_end_bytes, 20 * mebibyte);
  const std::vector<SnapshotShare> frames = {
      {"unknown", 8 * mebibyte}, {"train.py:12", 6 * mebibyte}, {"model.py:3", 4 * mebibyte - 24}};
  EXPECT_EQ(use.frames, frames);
}

TEST(SnapshotUse, SharesOfTheSameNameLieBesideEachOther) {
  const std::vector<SharePair> pairs = paired({{"a", 5}, {"b", 9}}, {{"b", 1}, {"c", 2}});
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(pairs[0].name, "b");
  EXPECT_EQ(pairs[0].difference(), -8);
  EXPECT_EQ(pairs[2].name, "c");
}

TEST(SnapshotRecording, HasTheSettingsAndTheStateAtTheEnd) {
  const SnapshotRecording recording = recording_of(small_snapshot(), 0);
  EXPECT_EQ(recording.end.settings.max_split_bytes, 128 * mebibyte);
  EXPECT_EQ(recording.end.reserved_bytes(), 20 * mebibyte);
  EXPECT_EQ(recording.end.segments[0].blocks.size(), 3U);
  EXPECT_TRUE(recording.end.segments[0].blocks[2].is_free);
  EXPECT_EQ(recording.events.size(), 5U);
  EXPECT_EQ(recording.events[0].action, AllocatorAction::alloc);
  EXPECT_EQ(recording.events[4].action, AllocatorAction::other);
}

}  // namespace snapshot_file_test
}  // namespace stashscope
