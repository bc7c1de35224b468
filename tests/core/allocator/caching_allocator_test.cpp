#include "core/allocator/caching_allocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace stashscope {
namespace caching_allocator_test {

constexpr std::int64_t kibibyte = 1 << 10;
constexpr std::int64_t mebibyte = 1 << 20;

/// Fails unless the blocks fill the segments, free neighbours are merged and the sums are right.
void expect_consistent(const CachingAllocator& allocator) {
  std::int64_t reserved = 0;
  std::int64_t allocated = 0;
  for (const MemorySegmentId id : allocator.segments()) {
    const MemorySegment& segment = allocator.segment(id);
    std::int64_t held = 0;
    const MemoryBlock* before = nullptr;
    for (const MemoryBlockId each : allocator.blocks_of(id)) {
      const MemoryBlock& block = allocator.block(each);
      held += block.bytes;
      if (block.is_allocated) allocated += block.bytes;
      const bool touches = before != nullptr && before->address + before->bytes == block.address;
      EXPECT_FALSE(touches && !before->is_allocated && !block.is_allocated) << "not merged";
      EXPECT_EQ(block.bytes % 512, 0);
      before = &block;
    }
    EXPECT_EQ(held, segment.reserved_bytes);
    reserved += segment.reserved_bytes;
  }
  EXPECT_EQ(reserved, allocator.reserved_bytes());
  EXPECT_EQ(allocated, allocator.allocated_bytes());
}

std::int64_t address_of(const CachingAllocator& allocator, MemoryBlockId block) {
  return allocator.block(block).address;
}

TEST(CachingAllocator, ReservesSegmentsBySize) {
  CachingAllocator allocator;
  allocator.allocate(100);
  EXPECT_EQ(allocator.reserved_bytes(), 2 * mebibyte);
  allocator.allocate(mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 2 * mebibyte) << "both lie in the segment of small tensors";
  allocator.allocate(mebibyte + 1);
  EXPECT_EQ(allocator.reserved_bytes(), 22 * mebibyte);
  allocator.allocate(10 * mebibyte + 1);
  EXPECT_EQ(allocator.reserved_bytes(), 22 * mebibyte) << "in the rest of the segment of 20 MiB";
  allocator.allocate(10 * mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 32 * mebibyte);
  allocator.allocate(33 * mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 66 * mebibyte) << "multiples of 2 MiB";
  expect_consistent(allocator);
}

TEST(CachingAllocator, TakesTheSmallestBlockAndMergesNeighbours) {
  CachingAllocator allocator;
  const MemoryBlockId a = allocator.allocate(4 * mebibyte);
  const MemoryBlockId b = allocator.allocate(2 * mebibyte);
  const MemoryBlockId c = allocator.allocate(6 * mebibyte);
  const std::int64_t begin = address_of(allocator, a);
  const std::int64_t of_b = address_of(allocator, b);
  EXPECT_EQ(of_b, begin + 4 * mebibyte);
  allocator.free(b);
  EXPECT_EQ(address_of(allocator, allocator.allocate(3 * mebibyte / 2)), of_b)
      << "2 MiB is less than the 8 MiB behind c";
  allocator.free(a);
  allocator.free(c);
  EXPECT_EQ(address_of(allocator, allocator.allocate(4 * mebibyte)), begin);
  expect_consistent(allocator);
}

TEST(CachingAllocator, LeavesSmallRestsInTheBlock) {
  CachingAllocator allocator;
  const MemoryBlockId large = allocator.allocate(19 * mebibyte);
  EXPECT_EQ(allocator.block(large).bytes, 20 * mebibyte) << "a rest of 1 MiB is not split";
  const MemoryBlockId small = allocator.allocate(512 * kibibyte);
  EXPECT_EQ(allocator.block(small).bytes, 512 * kibibyte);
  EXPECT_EQ(allocator.block(small).requested_bytes, 512 * kibibyte);
}

TEST(CachingAllocator, StreamsShareNoMemory) {
  CachingAllocator allocator;
  allocator.free(allocator.allocate(4 * mebibyte, 0));
  allocator.allocate(4 * mebibyte, 7);
  EXPECT_EQ(allocator.reserved_bytes(), 40 * mebibyte);
  allocator.allocate(4 * mebibyte, 0);
  EXPECT_EQ(allocator.reserved_bytes(), 40 * mebibyte);
}

TEST(CachingAllocator, EmptyingGivesBackWholeSegmentsOnly) {
  CachingAllocator allocator;
  const MemoryBlockId kept = allocator.allocate(4 * mebibyte);
  const MemoryBlockId freed = allocator.allocate(30 * mebibyte);
  allocator.free(freed);
  allocator.empty_cache();
  EXPECT_EQ(allocator.reserved_bytes(), 20 * mebibyte);
  EXPECT_EQ(allocator.most_reserved_bytes(), 50 * mebibyte);
  allocator.free(kept);
  allocator.empty_cache();
  EXPECT_EQ(allocator.reserved_bytes(), 0);
  EXPECT_TRUE(allocator.segments().empty());
}

TEST(CachingAllocator, GivesCachedSegmentsBackBeforeItRefuses) {
  AllocatorSettings settings;
  settings.memory_limit = 100 * mebibyte;
  CachingAllocator allocator(settings);
  const MemoryBlockId first = allocator.allocate(60 * mebibyte);
  allocator.free(first);
  EXPECT_TRUE(allocator.allocate(80 * mebibyte).valid());
  EXPECT_EQ(allocator.retries(), 1);
  EXPECT_EQ(allocator.reserved_bytes(), 80 * mebibyte);
  EXPECT_FALSE(allocator.allocate(40 * mebibyte).valid());
  EXPECT_EQ(allocator.refusals(), 1);
  EXPECT_EQ(allocator.reserved_bytes(), 80 * mebibyte);
  expect_consistent(allocator);
}

TEST(CachingAllocator, LargeBlocksAreNotSplitIfASizeForbidsIt) {
  AllocatorSettings settings;
  settings.max_split_bytes = 64 * mebibyte;
  CachingAllocator allocator(settings);
  const MemoryBlockId large = allocator.allocate(100 * mebibyte);
  allocator.free(large);
  allocator.allocate(30 * mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 130 * mebibyte) << "a small tensor leaves it alone";
  const MemoryBlockId again = allocator.allocate(90 * mebibyte);
  EXPECT_EQ(allocator.block(again).bytes, 100 * mebibyte) << "less than 20 MiB too large";
  allocator.free(again);
  allocator.allocate(70 * mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 200 * mebibyte) << "30 MiB too large";
}

TEST(CachingAllocator, OversizedBlocksAreGivenBackFirst) {
  AllocatorSettings settings;
  settings.max_split_bytes = 64 * mebibyte;
  settings.memory_limit = 300 * mebibyte;
  CachingAllocator allocator(settings);
  allocator.free(allocator.allocate(150 * mebibyte));
  allocator.free(allocator.allocate(30 * mebibyte));
  EXPECT_TRUE(allocator.allocate(126 * mebibyte).valid());
  EXPECT_EQ(allocator.retries(), 0) << "the large block alone makes room";
  EXPECT_EQ(allocator.reserved_bytes(), 156 * mebibyte);
}

TEST(CachingAllocator, GarbageIsCollectedAboveTheThreshold) {
  AllocatorSettings settings;
  settings.memory_limit = 1000 * mebibyte;
  settings.garbage_collection_threshold = 0.5;
  CachingAllocator allocator(settings);
  const MemoryBlockId old = allocator.allocate(300 * mebibyte);
  allocator.free(old);
  for (int i = 0; i < 10; ++i) allocator.free(allocator.allocate(mebibyte / 2));
  const MemoryBlockId young = allocator.allocate(310 * mebibyte);
  allocator.free(young);
  EXPECT_EQ(allocator.reserved_bytes(), 612 * mebibyte);
  allocator.allocate(320 * mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 632 * mebibyte) << "the oldest segment was given back";
}

TEST(CachingAllocator, AnExpandableSegmentHasRoomForAnyTensor) {
  AllocatorSettings settings;
  settings.expandable_segments = true;
  CachingAllocator allocator(settings);
  const std::int64_t bytes = std::int64_t{3} << 40;
  const MemoryBlockId block = allocator.allocate(bytes);
  EXPECT_EQ(allocator.block(block).bytes, bytes);
  EXPECT_GE(allocator.reserved_bytes(), bytes);
  EXPECT_EQ(allocator.block(allocator.allocate(512)).bytes, 512);
}

TEST(CachingAllocator, ExpandableSegmentsGrowByPages) {
  AllocatorSettings settings;
  settings.expandable_segments = true;
  CachingAllocator allocator(settings);
  const MemoryBlockId a = allocator.allocate(30 * mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 40 * mebibyte);
  const MemoryBlockId b = allocator.allocate(50 * mebibyte);
  EXPECT_EQ(address_of(allocator, b), address_of(allocator, a) + 30 * mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 80 * mebibyte);
  EXPECT_EQ(allocator.segments().size(), 1U);
  allocator.free(a);
  const MemoryBlockId c = allocator.allocate(20 * mebibyte);
  EXPECT_EQ(address_of(allocator, c), address_of(allocator, b) - 30 * mebibyte);
  expect_consistent(allocator);
  allocator.free(b);
  allocator.empty_cache();
  EXPECT_EQ(allocator.reserved_bytes(), 20 * mebibyte) << "whole free pages are given back";
  expect_consistent(allocator);
  allocator.allocate(mebibyte);
  EXPECT_EQ(allocator.reserved_bytes(), 22 * mebibyte) << "small tensors have pages of 2 MiB";
}

/// After the cache is released, nothing that can be given back is left.
void expect_released(const CachingAllocator& allocator) {
  for (const MemorySegmentId id : allocator.segments()) {
    const MemorySegment& segment = allocator.segment(id);
    const std::int64_t page = segment.pool == MemoryPool::small ? 2 * mebibyte : 20 * mebibyte;
    for (const MemoryBlockId each : allocator.blocks_of(id)) {
      const MemoryBlock& block = allocator.block(each);
      if (block.is_allocated) continue;
      EXPECT_TRUE(segment.is_expandable || block.previous.valid() || block.next.valid());
      const std::int64_t begin = block.address - segment.address;
      const std::int64_t first_page = (begin + page - 1) / page * page;
      EXPECT_TRUE(!segment.is_expandable || first_page + page > begin + block.bytes);
    }
  }
}

TEST(CachingAllocator, StaysConsistentUnderRandomLoads) {
  for (const char* const text :
       {"", "expandable_segments:True", "max_split_size_mb:64", "roundup_power2_divisions:4",
        "expandable_segments:True,max_split_size_mb:32"}) {
    AllocatorSettings settings = parse_allocator_settings(text);
    settings.memory_limit = 600 * mebibyte;
    CachingAllocator allocator(settings);
    std::mt19937 random(5);
    std::vector<MemoryBlockId> held;
    for (int i = 0; i < 4000; ++i) {
      if (random() % 2 == 0 || held.empty()) {
        const std::int64_t bytes =
            1 + static_cast<std::int64_t>(random() % (1U << (9 + random() % 18)));
        const MemoryBlockId block = allocator.allocate(bytes, random() % 3);
        if (block.valid()) held.push_back(block);
      } else {
        std::swap(held[random() % held.size()], held.back());
        allocator.free(held.back());
        held.pop_back();
      }
      if (random() % 200 == 0) {
        allocator.empty_cache();
        expect_released(allocator);
      }
      if (i % 50 == 0) expect_consistent(allocator);
      ASSERT_LE(allocator.reserved_bytes(), *settings.memory_limit);
    }
    for (const MemoryBlockId block : held) allocator.free(block);
    allocator.empty_cache();
    EXPECT_EQ(allocator.reserved_bytes(), 0) << text;
  }
}

TEST(CachingAllocator, TensorsCanBePlacedAtAnAddress) {
  CachingAllocator allocator;
  const MemorySegmentId segment =
      allocator.add_segment(1 << 30, 20 * mebibyte, 0, MemoryPool::large);
  EXPECT_EQ(allocator.segment_at(1 << 30), segment);
  const MemoryBlockId block = allocator.allocate_at((1 << 30) + 4 * mebibyte, 3 * mebibyte);
  ASSERT_TRUE(block.valid());
  EXPECT_EQ(allocator.blocks_of(segment).size(), 3U);
  EXPECT_FALSE(allocator.allocate_at((1 << 30) + 6 * mebibyte, mebibyte).valid()) << "in use";
  EXPECT_FALSE(allocator.release_segment(segment));
  allocator.free(block);
  EXPECT_TRUE(allocator.release_segment(segment));
  EXPECT_FALSE(allocator.segment_at(1 << 30).valid());
}

}  // namespace caching_allocator_test
}  // namespace stashscope
