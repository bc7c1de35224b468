// The part of the caching allocator for segments that grow by pages.

#include <algorithm>

#include "core/allocator/caching_allocator.h"
#include "core/base/units.h"

namespace stashscope {

namespace {

/// Address space of a segment, except that a larger tensor gets as much as it needs. PyTorch takes
/// somewhat more than the memory of the device, whose size is not known here.
constexpr std::int64_t address_space = 100'000 * large_segment_bytes;

}  // namespace

std::int64_t CachingAllocator::page_bytes(MemoryBlockId block) const {
  return segments_[blocks_[block].segment].pool == MemoryPool::small ? small_segment_bytes
                                                                     : large_segment_bytes;
}

/// Looks for neighbouring blocks, free or unmapped, that together have room for the request.
/// Returns the first of them. If there are none, makes a segment and returns its only block.
MemoryBlockId CachingAllocator::expandable_room(const Request& request) {
  const auto is_free = [&](MemoryBlockId block) {
    return block.valid() && !blocks_[block].is_allocated;
  };
  for (const auto& [address, id] : pools_[{request.stream, request.pool}].unmapped) {
    const MemoryBlockId before = blocks_[id].previous;
    const MemoryBlockId start = is_free(before) ? before : id;
    std::int64_t bytes = 0;
    for (MemoryBlockId at = start; bytes < request.bytes && is_free(at); at = blocks_[at].next) {
      bytes += blocks_[at].bytes;
    }
    if (bytes >= request.bytes) return start;
  }
  const std::int64_t space =
      std::max(address_space, rounded_up(request.bytes, large_segment_bytes));
  const MemorySegmentId segment = segments_.push_back({.address = new_address(space),
                                                       .reserved_bytes = 0,
                                                       .stream = request.stream,
                                                       .pool = request.pool,
                                                       .is_expandable = true,
                                                       .first = MemoryBlockId()});
  const MemoryBlockId block = make_block({.address = segments_[segment].address,
                                          .bytes = space,
                                          .segment = segment,
                                          .is_mapped = false});
  by_address_[segments_[segment].address] = segment;
  segments_[segment].first = block;
  insert_free(block);
  return block;
}

/// A block of an expandable segment with memory for the request, in no pool; invalid if there is no
/// room.
MemoryBlockId CachingAllocator::grow_expandable(const Request& request) {
  MemoryBlockId block = expandable_room(request);
  if (!blocks_[block].is_mapped && !map(block, std::min(blocks_[block].bytes, request.bytes))) {
    return {};
  }
  while (blocks_[block].bytes < request.bytes) {
    const MemoryBlockId next = blocks_[block].next;
    const std::int64_t missing = request.bytes - blocks_[block].bytes;
    if (!map(next, std::min(missing, blocks_[next].bytes))) return {};
    block = next;
  }
  erase_free(block);
  return block;
}

/// Gives memory to the first bytes of an unmapped block, in whole pages, and joins it with its free
/// neighbours. Returns false if there is no room.
bool CachingAllocator::map(MemoryBlockId id, std::int64_t bytes) {
  const std::int64_t page = page_bytes(id);
  const std::int64_t mapped = rounded_up(bytes, page);
  if (!has_room(mapped)) return false;
  erase_free(id);
  if (mapped < blocks_[id].bytes) {
    const MemoryBlockId next = blocks_[id].next;
    const MemoryBlock whole = blocks_[id];
    const MemoryBlockId rest = make_block({.address = whole.address + mapped,
                                           .bytes = whole.bytes - mapped,
                                           .segment = whole.segment,
                                           .previous = id,
                                           .next = next,
                                           .is_mapped = false});
    if (next.valid()) blocks_[next].previous = rest;
    blocks_[id].next = rest;
    blocks_[id].bytes = mapped;
    insert_free(rest);
  }
  blocks_[id].is_mapped = true;
  segments_[blocks_[id].segment].reserved_bytes += mapped;
  reserve(mapped);
  merge(id, blocks_[id].previous);
  merge(id, blocks_[id].next);
  insert_free(id);
  return true;
}

/// Takes the memory from the whole pages of a free block. Parts of pages at its ends stay free
/// blocks.
void CachingAllocator::unmap(MemoryBlockId id) {
  const std::int64_t page = page_bytes(id);
  const std::int64_t begin = blocks_[id].address - segments_[blocks_[id].segment].address;
  const std::int64_t end = begin + blocks_[id].bytes;
  const std::int64_t first = rounded_up(begin, page);
  const std::int64_t last = end / page * page;
  if (last <= first) return;
  erase_free(id);
  if (first > begin) insert_free(cut_front(id, first - begin));
  MemoryBlockId pages = id;
  if (last < end) {
    pages = cut_front(id, last - first);
    insert_free(id);
  }
  blocks_[pages].is_mapped = false;
  segments_[blocks_[pages].segment].reserved_bytes -= last - first;
  reserve(first - last);
  merge(pages, blocks_[pages].previous);
  merge(pages, blocks_[pages].next);
  insert_free(pages);
}

}  // namespace stashscope
