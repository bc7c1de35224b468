#include "core/study/reserved/allocator_map.h"

#include <gtest/gtest.h>

#include <map>

#include "core/study/reserved/step_player.h"
#include "tests/support/named_model.h"

namespace stashscope {
namespace allocator_map_test {

std::shared_ptr<const Study> blocks_of(std::int64_t batch) {
  Choices choices;
  choices.dims["N"] = batch;
  choices.update.optimizer = "adam";
  return compute_study(test::named(test::blocks(4)), choices, nullptr, Progress());
}

/// Reads segments and blocks from the allocator itself, slot by slot; the last step stays.
class AllocatorReader : public StepListener {
 public:
  struct State {
    std::map<std::int64_t, std::int64_t> segments;                     ///< size by address
    std::map<std::int64_t, std::pair<std::int64_t, BufferId>> blocks;  ///< by address
    std::int64_t reserved_bytes = 0;
  };

  void starts(const CachingAllocator& allocator) override { allocator_ = &allocator; }
  void begins_slot(std::size_t slot) override {
    if (slot == 0) states.clear();
  }
  void allocated(std::optional<BufferId> buffer, MemoryBlockId block) override {
    buffers_[block] = buffer.value_or(BufferId());
  }
  void frees(std::optional<BufferId> /*buffer*/, MemoryBlockId block) override {
    buffers_.erase(block);
  }
  void runs_slot(std::size_t /*slot*/) override {
    State state;
    for (const MemorySegmentId id : allocator_->segments()) {
      state.segments[allocator_->segment(id).address] = allocator_->segment(id).reserved_bytes;
      for (const MemoryBlockId block : allocator_->blocks_of(id)) {
        const MemoryBlock& at = allocator_->block(block);
        if (at.is_allocated) state.blocks[at.address] = {at.bytes, buffers_.at(block)};
      }
    }
    state.reserved_bytes = allocator_->reserved_bytes();
    states.push_back(std::move(state));
  }
  void ends() override {}

  std::vector<State> states;  ///< by slot

 private:
  const CachingAllocator* allocator_ = nullptr;
  std::map<MemoryBlockId, BufferId> buffers_;
};

void expect_same(const AllocatorMap& map, const AllocatorReader::State& state) {
  std::int64_t sum = 0;
  ASSERT_EQ(map.segments.size(), state.segments.size());
  for (const MapSegment& each : map.segments) {
    EXPECT_EQ(state.segments.at(each.address), each.bytes);
    sum += each.bytes;
  }
  EXPECT_EQ(sum, state.reserved_bytes);
  ASSERT_EQ(map.blocks.size(), state.blocks.size());
  for (const MapBlock& each : map.blocks) {
    const auto& [bytes, buffer] = state.blocks.at(map.segments[each.segment].address + each.offset);
    EXPECT_EQ(each.bytes, bytes);
    EXPECT_EQ(each.buffer, buffer);
    EXPECT_GE(each.bytes, each.requested_bytes);
  }
}

TEST(AllocatorMap, IsWhatTheAllocatorHoldsInEachSlot) {
  for (const auto& study : {blocks_of(16), blocks_of(65536)}) {
    for (const char* text : {"", "expandable_segments:True", "max_split_size_mb:20"}) {
      const AllocatorSettings settings = parse_allocator_settings(text);
      const Variant& variant = *study->current;
      AllocatorReader reader;
      reserved_memory(study->prepared->rules, variant.timeline, settings, &reader);
      const ReservedStep step = reserved_step(*study, variant, settings);
      ASSERT_EQ(reader.states.size(), variant.timeline.order.size());
      for (std::size_t slot = 0; slot < reader.states.size(); ++slot) {
        SCOPED_TRACE(std::string(text) + ", slot " + std::to_string(slot));
        expect_same(allocator_map_at(step, slot), reader.states[slot]);
      }
    }
  }
}

TEST(AllocatorMap, LiesInOrderWithoutOverlaps) {
  const auto study = blocks_of(65536);
  const ReservedStep step = reserved_step(*study, *study->current, AllocatorSettings());
  EXPECT_EQ(step.memory.by_slot,
            reserved_memory(*study, *study->current, AllocatorSettings()).by_slot);
  const AllocatorMap map = allocator_map_at(step, study->current->timeline.peak_slot);
  ASSERT_GT(map.segments.size(), 2U);
  ASSERT_EQ(map.first_block.size(), map.segments.size() + 1);
  for (std::size_t i = 0; i < map.segments.size(); ++i) {
    if (i > 0 && map.segments[i - 1].pool == map.segments[i].pool) {
      EXPECT_LT(map.segments[i - 1].address, map.segments[i].address);
    }
    std::int64_t end = 0;
    for (const MapBlock& each : map.blocks_of(i)) {
      EXPECT_EQ(each.segment, i);
      EXPECT_GE(each.offset, end);
      end = each.offset + each.bytes;
    }
    EXPECT_LE(end, map.segments[i].bytes);
  }
  std::int64_t free_bytes = 0;
  for (std::size_t i = 0; i < map.segments.size(); ++i) free_bytes += map.free_bytes_of(i);
  const FreeMemory free = free_memory(map);
  EXPECT_EQ(free.bytes, free_bytes);
  EXPECT_LE(free.largest_bytes, free.bytes);
  EXPECT_GE(static_cast<std::int64_t>(free.pieces) * free.largest_bytes, free.bytes);
  EXPECT_EQ(map.segments.front().pool, MemoryPool::large);
  EXPECT_EQ(map.segments.back().pool, MemoryPool::small);
}

}  // namespace allocator_map_test
}  // namespace stashscope
