// The part of the caching allocator that gives segments back, and that places tensors at recorded
// addresses.

#include <algorithm>
#include <utility>

#include "core/allocator/caching_allocator.h"

namespace stashscope {

/// Whether the block is a whole segment that can be given back.
bool CachingAllocator::is_whole(MemoryBlockId id) const {
  const MemoryBlock& block = blocks_[id];
  return !block.previous.valid() && !block.next.valid() && !segments_[block.segment].is_expandable;
}

/// Gives back the segment of a free block that is the whole segment.
void CachingAllocator::release(MemoryBlockId block) {
  erase_free(block);
  MemorySegment& segment = segments_[blocks_[block].segment];
  by_address_.erase(segment.address);
  reserve(-segment.reserved_bytes);
  segment.reserved_bytes = 0;
  segment.first = {};
  drop_block(block);
}

void CachingAllocator::empty_cache() { release_cached(); }

/// Whether the id is that of a free block with memory.
bool CachingAllocator::is_free(MemoryBlockId id) const {
  const MemoryBlock& block = blocks_[id];
  return block.segment.valid() && block.is_mapped && !block.is_allocated;
}

void CachingAllocator::note_free(MemoryBlockId id) {
  if (is_newly_free_.size() <= id.index()) is_newly_free_.resize(id.index() + 1);
  if (is_newly_free_[id]) return;
  is_newly_free_[id] = true;
  newly_free_.push_back(id);
}

void CachingAllocator::release_cached() {
  const std::vector<MemoryBlockId> blocks = std::exchange(newly_free_, {});
  for (const MemoryBlockId block : blocks) is_newly_free_[block] = false;
  for (const MemoryBlockId block : blocks) {
    if (!is_free(block)) continue;
    if (is_whole(block)) {
      release(block);
    } else if (segments_[blocks_[block].segment].is_expandable) {
      unmap(block);
    }
  }
}

/// Gives back free blocks that are too large to be split: one that has room for the request, or
/// else the largest ones until their sum has room. Returns false if they do not make enough room.
bool CachingAllocator::release_oversized(const Request& request) {
  if (!settings_.max_split_bytes) return false;
  std::set<FreeKey>& free = pools_[{request.stream, request.pool}].blocks;
  const std::int64_t wanted = std::max(request.bytes, *settings_.max_split_bytes);
  const auto enough = free.lower_bound({wanted, 0, MemoryBlockId(0)});
  if (enough != free.end()) {
    if (!is_whole(std::get<2>(*enough))) return false;
    release(std::get<2>(*enough));
    return true;
  }
  std::int64_t released = 0;
  while (released < wanted && !free.empty()) {
    const auto [bytes, address, block] = *free.rbegin();
    if (bytes < *settings_.max_split_bytes || !is_whole(block)) break;
    release(block);
    released += bytes;
  }
  return released >= wanted;
}

/// Gives back large segments without tensors until the reserved memory is not above the threshold.
/// Each round gives back all that have been free for at least the average time.
void CachingAllocator::collect_garbage() {
  if (settings_.garbage_collection_threshold <= 0 || !settings_.memory_limit) return;
  const auto threshold = static_cast<std::int64_t>(settings_.garbage_collection_threshold *
                                                   static_cast<double>(*settings_.memory_limit));
  bool has_released = true;
  while (reserved_bytes_ > threshold && has_released) {
    std::vector<std::pair<std::uint64_t, MemoryBlockId>> free;  // with their ages
    std::uint64_t ages = 0;
    for (const auto& [key, pool] : pools_) {
      if (key.second == MemoryPool::small) continue;
      for (const auto& [bytes, address, block] : pool.blocks) {
        if (!is_whole(block)) continue;
        free.emplace_back(searches_in(MemoryPool::large) - blocks_[block].free_since, block);
        ages += free.back().first;
      }
    }
    has_released = false;
    for (const auto& [age, block] : free) {
      if (age * free.size() < ages) continue;
      release(block);
      has_released = true;
    }
  }
}

bool CachingAllocator::release_segment(MemorySegmentId id) {
  const MemoryBlockId first = segments_[id].first;
  if (!first.valid() || blocks_[first].is_allocated || !is_whole(first)) return false;
  release(first);
  return true;
}

MemorySegmentId CachingAllocator::segment_at(std::int64_t address) const {
  const auto found = by_address_.find(address);
  return found == by_address_.end() ? MemorySegmentId() : found->second;
}

MemoryBlockId CachingAllocator::allocate_at(std::int64_t address, std::int64_t bytes,
                                            std::int64_t block_bytes) {
  auto segment = by_address_.upper_bound(address);
  if (segment == by_address_.begin()) return {};
  MemoryBlockId id = segments_[std::prev(segment)->second].first;
  while (id.valid() && blocks_[id].address + blocks_[id].bytes <= address) id = blocks_[id].next;
  const std::int64_t rounded = rounded_bytes(bytes, settings_);
  const std::int64_t wanted = block_bytes > 0 ? block_bytes : rounded;
  if (!id.valid() || blocks_[id].is_allocated || !blocks_[id].is_mapped) return {};
  if (address + wanted > blocks_[id].address + blocks_[id].bytes) return {};
  erase_free(id);
  if (address > blocks_[id].address) insert_free(cut_front(id, address - blocks_[id].address));
  const bool leaves_rest =
      block_bytes > 0 ? blocks_[id].bytes > block_bytes : splits(blocks_[id], rounded);
  return place(id, wanted, bytes, leaves_rest);
}

std::vector<MemorySegmentId> CachingAllocator::segments() const {
  std::vector<MemorySegmentId> held;
  for (const auto& [address, segment] : by_address_) {
    if (segments_[segment].reserved_bytes > 0) held.push_back(segment);
  }
  return held;
}

std::vector<MemoryBlockId> CachingAllocator::blocks_of(MemorySegmentId segment) const {
  std::vector<MemoryBlockId> blocks;
  for (MemoryBlockId at = segments_[segment].first; at.valid(); at = blocks_[at].next) {
    if (blocks_[at].is_mapped) blocks.push_back(at);
  }
  return blocks;
}

}  // namespace stashscope
