#include "core/study/exports/mapped_memory.h"

#include <algorithm>

namespace stashscope {

namespace {

void add_segment(const CachingAllocator& allocator, MemorySegmentId id,
                 std::vector<MappedMemory>& memory) {
  const MemorySegment& segment = allocator.segment(id);
  std::int64_t end = -1;
  for (const MemoryBlockId each : allocator.blocks_of(id)) {
    const MemoryBlock& block = allocator.block(each);
    if (block.address != end) {
      memory.push_back({block.address, 0, segment.stream, segment.pool, segment.is_expandable});
    }
    memory.back().bytes += block.bytes;
    memory.back().blocks.push_back(each);
    end = memory.back().end();
  }
}

}  // namespace

std::vector<MappedMemory> mapped_memory(const CachingAllocator& allocator) {
  std::vector<MappedMemory> memory;
  for (const MemorySegmentId id : allocator.segments()) add_segment(allocator, id, memory);
  return memory;
}

std::vector<MappedMemory> missing_in(const std::vector<MappedMemory>& other,
                                     const std::vector<MappedMemory>& memory) {
  std::vector<MappedMemory> missing;
  auto next = other.begin();
  const auto add = [&](const MappedMemory& of, std::int64_t from, std::int64_t to) {
    if (from < to) missing.push_back({from, to - from, of.stream, of.pool, of.is_expandable});
  };
  for (const MappedMemory& each : memory) {
    std::int64_t at = each.address;
    while (next != other.end() && next->end() <= at) ++next;
    for (auto covering = next; covering != other.end() && covering->address < each.end();
         ++covering) {
      add(each, at, covering->address);
      at = std::max(at, covering->end());
    }
    add(each, at, each.end());
  }
  return missing;
}

}  // namespace stashscope
