#include "core/allocator/caching_allocator.h"

#include <algorithm>

#include "core/base/units.h"

namespace stashscope {

namespace {

/// From this size on, a tensor gets a segment of its own size, rounded up to 2 MiB.
constexpr std::int64_t least_own_segment = std::int64_t{10} << 20;

std::int64_t segment_bytes_for(std::int64_t bytes) {
  if (bytes <= most_small_bytes) return small_segment_bytes;
  if (bytes < least_own_segment) return large_segment_bytes;
  return rounded_up(bytes, small_segment_bytes);
}

}  // namespace

MemoryPool pool_for(std::int64_t bytes, const AllocatorSettings& settings) {
  return rounded_bytes(bytes, settings) <= most_small_bytes ? MemoryPool::small : MemoryPool::large;
}

CachingAllocator::Request CachingAllocator::request_of(std::int64_t bytes,
                                                       std::int64_t stream) const {
  const std::int64_t rounded = rounded_bytes(bytes, settings_);
  return {rounded, stream, pool_for(bytes, settings_)};
}

CachingAllocator::FreeBlocks& CachingAllocator::pool_of(MemoryBlockId block) {
  const MemorySegment& segment = segments_[blocks_[block].segment];
  return pools_[{segment.stream, segment.pool}];
}

/// The size that the block can grow to. In an expandable segment, unmapped address space behind the
/// block counts, too.
std::int64_t CachingAllocator::room_of(MemoryBlockId block) const {
  const MemoryBlock& at = blocks_[block];
  const bool can_grow = at.next.valid() && !blocks_[at.next].is_mapped;
  return at.bytes + (can_grow ? blocks_[at.next].bytes : 0);
}

/// The free block for a tensor: the smallest that is large enough, and of these the one with the
/// lowest address. Invalid if there is none, or if `max_split_bytes` forbids the tensor to use it.
MemoryBlockId CachingAllocator::find_free(const FreeBlocks& pool, std::int64_t bytes) const {
  auto at = pool.blocks.lower_bound({bytes, 0, MemoryBlockId(0)});
  if (at == pool.blocks.end()) return {};
  if (settings_.expandable_segments) {
    // A block before unmapped address space counts with the size that it can grow to.
    for (auto next = std::next(at); next != pool.blocks.end(); ++next) {
      if (room_of(std::get<2>(*next)) >= room_of(std::get<2>(*at))) break;
      at = next;
    }
  }
  if (settings_.max_split_bytes) {
    const std::int64_t found = std::get<0>(*at);
    const std::int64_t limit = *settings_.max_split_bytes;
    if (bytes < limit && found >= limit) return {};
    if (bytes >= limit && found >= bytes + settings_.unsplit_slack_bytes) return {};
  }
  return std::get<2>(*at);
}

/// Whether a tensor leaves a part of the block free.
bool CachingAllocator::splits(const MemoryBlock& block, std::int64_t bytes) const {
  const std::int64_t rest = block.bytes - bytes;
  const bool is_small = segments_[block.segment].pool == MemoryPool::small;
  if (is_small || settings_.expandable_segments) return rest >= least_block_bytes;
  const bool may_split = !settings_.max_split_bytes || bytes < *settings_.max_split_bytes;
  return may_split && rest > most_small_bytes;
}

CachingAllocator::Choice CachingAllocator::choice_for(std::int64_t bytes,
                                                      std::int64_t stream) const {
  const Request request = request_of(bytes, stream);
  const auto pool = pools_.find({stream, request.pool});
  const MemoryBlockId block =
      pool == pools_.end() ? MemoryBlockId() : find_free(pool->second, request.bytes);
  const bool is_new = !block.valid() && !settings_.expandable_segments;
  return {block, is_new ? segment_bytes_for(request.bytes) : 0};
}

MemoryBlockId CachingAllocator::allocate(std::int64_t bytes, std::int64_t stream) {
  const Request request = request_of(bytes, stream);
  MemoryBlockId block = take_free(request);
  if (!block.valid()) {
    collect_garbage();
    block = new_block(request);
    if (!block.valid() && release_oversized(request)) block = new_block(request);
    if (!block.valid()) {
      ++retries_;
      release_cached();
      block = new_block(request);
    }
  }
  if (!block.valid()) {
    ++refusals_;
    return {};
  }
  return place(block, request.bytes, bytes, splits(blocks_[block], request.bytes));
}

MemoryBlockId CachingAllocator::take_free(const Request& request) {
  FreeBlocks& pool = pools_[{request.stream, request.pool}];
  ++searches_in(request.pool);
  const MemoryBlockId block = find_free(pool, request.bytes);
  if (block.valid()) erase_free(block);
  return block;
}

bool CachingAllocator::has_room(std::int64_t bytes) const {
  return !settings_.memory_limit || reserved_bytes_ + bytes <= *settings_.memory_limit;
}

/// A block in new memory of the device; invalid if there is no room. The block is in no pool.
MemoryBlockId CachingAllocator::new_block(const Request& request) {
  if (settings_.expandable_segments) return grow_expandable(request);
  const std::int64_t bytes = segment_bytes_for(request.bytes);
  if (!has_room(bytes)) return {};
  const MemorySegmentId segment =
      add_segment(new_address(bytes), bytes, request.stream, request.pool);
  const MemoryBlockId block = segments_[segment].first;
  erase_free(block);
  return block;
}

MemorySegmentId CachingAllocator::add_segment(std::int64_t address, std::int64_t bytes,
                                              std::int64_t stream, MemoryPool pool) {
  const MemorySegmentId segment =
      segments_.push_back({address, bytes, stream, pool, false, MemoryBlockId()});
  by_address_[address] = segment;
  const MemoryBlockId block = make_block({.address = address, .bytes = bytes, .segment = segment});
  segments_[segment].first = block;
  reserve(bytes);
  insert_free(block);
  return segment;
}

/// Allocates a block that is in no pool. @param splits whether the rest of the block stays free
MemoryBlockId CachingAllocator::place(MemoryBlockId block, std::int64_t bytes,
                                      std::int64_t requested, bool splits) {
  if (splits) {
    const MemoryBlockId rest = block;
    block = cut_front(rest, bytes);
    insert_free(rest);
  }
  blocks_[block].is_allocated = true;
  blocks_[block].requested_bytes = requested;
  allocated_bytes_ += blocks_[block].bytes;
  return block;
}

/// Makes a block of the first bytes of another block. Both are in no pool.
MemoryBlockId CachingAllocator::cut_front(MemoryBlockId block, std::int64_t bytes) {
  const MemoryBlock whole = blocks_[block];
  const MemoryBlockId front = make_block({.address = whole.address,
                                          .bytes = bytes,
                                          .segment = whole.segment,
                                          .previous = whole.previous,
                                          .next = block,
                                          .is_mapped = whole.is_mapped});
  blocks_[block].address += bytes;
  blocks_[block].bytes -= bytes;
  blocks_[block].previous = front;
  if (whole.previous.valid()) {
    blocks_[whole.previous].next = front;
  } else {
    segments_[whole.segment].first = front;
  }
  return front;
}

void CachingAllocator::free(MemoryBlockId block) {
  allocated_bytes_ -= blocks_[block].bytes;
  blocks_[block].is_allocated = false;
  blocks_[block].requested_bytes = 0;
  merge(block, blocks_[block].previous);
  merge(block, blocks_[block].next);
  insert_free(block);
}

/// Adds a neighbour to a block that is in no pool, if the neighbour is free and if both or
/// neither of the two have memory.
void CachingAllocator::merge(MemoryBlockId into, MemoryBlockId other) {
  if (!other.valid() || blocks_[other].is_allocated) return;
  MemoryBlock& block = blocks_[into];
  const MemoryBlock& gone = blocks_[other];
  if (gone.is_mapped != block.is_mapped) return;
  erase_free(other);
  block.bytes += gone.bytes;
  if (block.previous == other) {
    block.address = gone.address;
    block.previous = gone.previous;
    if (gone.previous.valid()) {
      blocks_[gone.previous].next = into;
    } else {
      segments_[block.segment].first = into;
    }
  } else {
    block.next = gone.next;
    if (gone.next.valid()) blocks_[gone.next].previous = into;
  }
  drop_block(other);
}

void CachingAllocator::insert_free(MemoryBlockId id) {
  FreeBlocks& pool = pool_of(id);
  MemoryBlock& block = blocks_[id];
  if (!block.is_mapped) {
    pool.unmapped.emplace(block.address, id);
    return;
  }
  block.free_since = searches_in(segments_[block.segment].pool);
  pool.blocks.emplace(block.bytes, block.address, id);
  note_free(id);
}

void CachingAllocator::erase_free(MemoryBlockId id) {
  FreeBlocks& pool = pool_of(id);
  const MemoryBlock& block = blocks_[id];
  if (block.is_mapped) {
    pool.blocks.erase({block.bytes, block.address, id});
  } else {
    pool.unmapped.erase({block.address, id});
  }
}

MemoryBlockId CachingAllocator::make_block(MemoryBlock block) {
  if (unused_.empty()) return blocks_.push_back(block);
  const MemoryBlockId id = unused_.back();
  unused_.pop_back();
  blocks_[id] = block;
  return id;
}

void CachingAllocator::drop_block(MemoryBlockId block) {
  blocks_[block] = {};
  unused_.push_back(block);
}

void CachingAllocator::reserve(std::int64_t bytes) {
  reserved_bytes_ += bytes;
  most_reserved_bytes_ = std::max(most_reserved_bytes_, reserved_bytes_);
}

/// The address of a new segment. Segments lie apart, so that they never look like one.
std::int64_t CachingAllocator::new_address(std::int64_t bytes) {
  const std::int64_t address = next_address_;
  next_address_ += rounded_up(bytes, small_segment_bytes) + small_segment_bytes;
  return address;
}

}  // namespace stashscope
