#include "core/study/exports/step_snapshot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/allocator/replay.h"
#include "core/snapshot/snapshot_file.h"
#include "core/snapshot/snapshot_recording.h"
#include "core/snapshot/snapshot_use.h"
#include "core/study/reserved/reserved_memory.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace step_snapshot_test {

std::shared_ptr<const Study> blocks_of(std::int64_t batch) {
  Choices choices;
  choices.dims["N"] = batch;
  choices.update.optimizer = "adam";
  return compute_study(test::named(test::blocks(4, 64)), choices, nullptr, Progress());
}

std::vector<AllocatorSettings> several_settings() {
  AllocatorSettings expandable;
  expandable.expandable_segments = true;
  AllocatorSettings split;
  split.max_split_bytes = 64 << 20;
  return {AllocatorSettings(), expandable, split};
}

TEST(StepSnapshot, HasThePeakAndTheReservedMemoryOfTheStep) {
  for (const std::int64_t batch : {16, 4096, 65536}) {
    const auto study = blocks_of(batch);
    for (const AllocatorSettings& settings : several_settings()) {
      const SnapshotUse use = snapshot_use(step_snapshot(*study, settings));
      EXPECT_EQ(use.peak_bytes, study->current->timeline.peak_bytes);
      EXPECT_EQ(use.reserved_bytes,
                reserved_memory(*study, *study->current, settings).reserved_bytes);
    }
  }
}

TEST(StepSnapshot, ComesBackEqual) {
  const auto study = blocks_of(4096);
  for (const AllocatorSettings& settings : several_settings()) {
    for (const SnapshotMoment moment : {SnapshotMoment::end, SnapshotMoment::peak}) {
      const MemorySnapshot once =
          parse_snapshot(snapshot_pickle(step_snapshot(*study, settings, moment)));
      EXPECT_EQ(parse_snapshot(snapshot_pickle(once)), once);
      EXPECT_EQ(settings_of(once), settings);
    }
  }
}

/// The allocator that made the trace does the same once more.
TEST(StepSnapshot, IsReplayedToTheByte) {
  const auto study = blocks_of(4096);
  const SnapshotRecording recording = recording_of(step_snapshot(*study, AllocatorSettings()), 0);
  const ReplayResult result = replay(recording.events, recording.end, ReplayAddresses::recorded);
  EXPECT_GT(result.allocations, 30);
  EXPECT_EQ(result.at_recorded_address, result.allocations);
  EXPECT_GT(result.start_bytes, 0) << "the last step is recorded, for which all is reserved";
  EXPECT_EQ(result.reserved_end_bytes, result.recorded_reserved_end_bytes);
}

TEST(StepSnapshot, WithATensorThatLiesElsewhereIsNotReplayedToTheByte) {
  const auto study = blocks_of(4096);
  SnapshotRecording recording = recording_of(step_snapshot(*study, AllocatorSettings()), 0);
  const auto is_alloc = [](const AllocatorEvent& each) {
    return each.action == AllocatorAction::alloc;
  };
  const auto first = std::ranges::find_if(recording.events, is_alloc);
  const std::int64_t address = first->address;
  first->address += 512;
  const auto end = std::find_if(first + 1, recording.events.end(), [&](const auto& each) {
    return each.address == address && each.action == AllocatorAction::free_completed;
  });
  ASSERT_NE(end, recording.events.end());
  end->address += 512;
  const ReplayResult result = replay(recording.events, recording.end, ReplayAddresses::recorded);
  EXPECT_LT(result.at_recorded_address, result.allocations);
  EXPECT_TRUE(result.first_difference);
}

TEST(StepSnapshot, AtThePeakTheSegmentsHoldThePeak) {
  const auto study = blocks_of(4096);
  const MemorySnapshot snapshot = step_snapshot(*study, AllocatorSettings(), SnapshotMoment::peak);
  std::int64_t requested = 0;
  std::int64_t in_blocks = 0;
  for (const SnapshotSegment& segment : snapshot.segments) {
    requested += segment.requested_bytes;
    for (const SnapshotBlock& block : segment.blocks) in_blocks += block.requested_bytes;
  }
  EXPECT_EQ(requested, study->current->timeline.peak_bytes);
  EXPECT_EQ(in_blocks, requested);
}

TEST(StepSnapshot, TensorsHaveTheirModuleAndKind) {
  const auto study = blocks_of(4096);
  const SnapshotUse use = snapshot_use(step_snapshot(*study, AllocatorSettings()));
  const BandBytes bands = peak_bands(*study->current);
  std::set<std::string> modules;
  for (const SnapshotShare& each : use.modules) modules.insert(each.name);
  EXPECT_TRUE(modules.contains("h.2.attn")) << *modules.begin();
  for (const Band band : {Band::parameters, Band::optimizer_states}) {
    const auto share = std::ranges::find(use.kinds, name_of(band), &SnapshotShare::name);
    ASSERT_NE(share, use.kinds.end()) << name_of(band);
    EXPECT_EQ(share->bytes, of(bands, band));
  }
}

/// PyTorch's viewer fails on kinds among which none is unknown.
TEST(StepSnapshot, OneEventIsOfUnknownKind) {
  const MemorySnapshot snapshot = step_snapshot(*blocks_of(16), AllocatorSettings());
  EXPECT_TRUE(std::ranges::any_of(snapshot.traces[0], [&](const SnapshotEvent& event) {
    return snapshot.names.text(event.category) == "unknown";
  }));
}

}  // namespace step_snapshot_test
}  // namespace stashscope
