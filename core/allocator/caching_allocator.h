#pragma once

#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/allocator/allocator_settings.h"
#include "core/base/id.h"

namespace stashscope {

struct MemoryBlockTag;
struct MemorySegmentTag;
using MemoryBlockId = Id<MemoryBlockTag>;
using MemorySegmentId = Id<MemorySegmentTag>;

/// Size of a segment and of a page for tensors of the small pool.
constexpr std::int64_t small_segment_bytes = std::int64_t{2} << 20;
/// Size of a segment for large tensors below 10 MiB, and of a page of an expandable segment.
constexpr std::int64_t large_segment_bytes = std::int64_t{20} << 20;
/// The largest tensor of the small pool. A rest of up to this size is not split from a large block.
constexpr std::int64_t most_small_bytes = std::int64_t{1} << 20;

/// Tensors of up to 1 MiB share small segments. Larger tensors lie in other segments.
enum class MemoryPool : std::uint8_t { small, large };

/// The pool of a tensor.
MemoryPool pool_for(std::int64_t bytes, const AllocatorSettings& settings);

/// A part of a segment. It holds a tensor or is free.
struct MemoryBlock {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t requested_bytes = 0;  ///< size of the tensor; 0: the block is free
  MemorySegmentId segment = {};
  MemoryBlockId previous = {};   ///< neighbour below in the segment; invalid: none
  MemoryBlockId next = {};       ///< neighbour above in the segment; invalid: none
  std::uint64_t free_since = 0;  ///< number of searches in the pool when the block became free
  bool is_allocated = false;
  bool is_mapped = true;  ///< false: address space of an expandable segment without memory
};

/// Memory of the device that the allocator holds in one piece.
struct MemorySegment {
  std::int64_t address = 0;
  /// Memory of the device. 0: the segment was given back, or it is expandable and has no memory.
  std::int64_t reserved_bytes = 0;
  std::int64_t stream = 0;
  MemoryPool pool = MemoryPool::large;
  bool is_expandable = false;
  MemoryBlockId first;  ///< the block with the lowest address
};

/// A model of PyTorch's caching allocator of one device: it reserves segments, splits them into
/// blocks and keeps freed blocks for later tensors. It computes addresses and holds no memory. All
/// sizes are in bytes.
///
/// Source: `c10/cuda/CUDACachingAllocator.cpp` of PyTorch 2.9. Left out: memory that several
/// streams use at the same time, and the pools of CUDA graphs.
class CachingAllocator {
 public:
  explicit CachingAllocator(AllocatorSettings settings = {}) : settings_(settings) {}

  /// Places a tensor. Returns an invalid id if the memory limit leaves no room.
  MemoryBlockId allocate(std::int64_t bytes, std::int64_t stream = 0);
  /// @pre the block is allocated
  void free(MemoryBlockId block);
  /// Gives back all segments without tensors, as `torch.cuda.empty_cache` does.
  void empty_cache();

  /// Where `allocate` would place a tensor.
  struct Choice {
    MemoryBlockId block;             ///< a free block; invalid: in new memory
    std::int64_t segment_bytes = 0;  ///< of a new segment; 0: none, or segments are expandable
  };
  Choice choice_for(std::int64_t bytes, std::int64_t stream) const;

  /// Adds a segment that is one free block.
  MemorySegmentId add_segment(std::int64_t address, std::int64_t bytes, std::int64_t stream,
                              MemoryPool pool);
  /// Places a tensor at the address. Returns an invalid id if the bytes from there are not free in
  /// one block.
  /// @param block_bytes size of the block; 0: as `allocate` would split it
  MemoryBlockId allocate_at(std::int64_t address, std::int64_t bytes, std::int64_t block_bytes = 0);
  /// Gives back a segment without tensors. Returns false if it has tensors.
  bool release_segment(MemorySegmentId id);
  /// The segment that starts at the address; invalid: none.
  MemorySegmentId segment_at(std::int64_t address) const;

  const AllocatorSettings& settings() const { return settings_; }
  const MemoryBlock& block(MemoryBlockId id) const { return blocks_[id]; }
  const MemorySegment& segment(MemorySegmentId id) const { return segments_[id]; }
  /// All segments that are held, by ascending address.
  std::vector<MemorySegmentId> segments() const;
  /// The blocks of a segment by ascending address, without parts that have no memory.
  std::vector<MemoryBlockId> blocks_of(MemorySegmentId segment) const;

  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  /// The bytes of all blocks with tensors.
  std::int64_t allocated_bytes() const { return allocated_bytes_; }
  std::int64_t most_reserved_bytes() const { return most_reserved_bytes_; }
  /// How often all free segments were given back because the memory limit left no room.
  std::int64_t retries() const { return retries_; }
  /// Number of tensors that were not placed, because the memory limit left no room.
  std::int64_t refusals() const { return refusals_; }

 private:
  /// The order of free blocks: a search begins with the first that is large enough.
  using FreeKey = std::tuple<std::int64_t, std::int64_t, MemoryBlockId>;  // size, address
  /// The free blocks of one stream and pool.
  struct FreeBlocks {
    std::set<FreeKey> blocks;
    std::set<std::pair<std::int64_t, MemoryBlockId>> unmapped;  ///< by address
  };
  using PoolKey = std::pair<std::int64_t, MemoryPool>;  // stream
  /// A tensor that wants a place.
  struct Request {
    std::int64_t bytes = 0;  ///< rounded
    std::int64_t stream = 0;
    MemoryPool pool = MemoryPool::large;
  };

  Request request_of(std::int64_t bytes, std::int64_t stream) const;
  FreeBlocks& pool_of(MemoryBlockId block);
  MemoryBlockId find_free(const FreeBlocks& pool, std::int64_t bytes) const;
  std::uint64_t& searches_in(MemoryPool pool) { return searches_[static_cast<std::size_t>(pool)]; }
  std::int64_t room_of(MemoryBlockId block) const;
  bool splits(const MemoryBlock& block, std::int64_t bytes) const;
  bool has_room(std::int64_t bytes) const;
  MemoryBlockId take_free(const Request& request);
  MemoryBlockId new_block(const Request& request);
  MemoryBlockId grow_expandable(const Request& request);
  MemoryBlockId expandable_room(const Request& request);
  bool map(MemoryBlockId id, std::int64_t bytes);
  void unmap(MemoryBlockId id);
  std::int64_t page_bytes(MemoryBlockId block) const;
  MemoryBlockId place(MemoryBlockId block, std::int64_t bytes, std::int64_t requested, bool splits);
  MemoryBlockId cut_front(MemoryBlockId block, std::int64_t bytes);
  void collect_garbage();
  bool release_oversized(const Request& request);
  void release_cached();
  void release(MemoryBlockId block);
  bool is_whole(MemoryBlockId id) const;
  bool is_free(MemoryBlockId id) const;
  void note_free(MemoryBlockId id);
  void merge(MemoryBlockId into, MemoryBlockId other);
  void insert_free(MemoryBlockId id);
  void erase_free(MemoryBlockId id);
  MemoryBlockId make_block(MemoryBlock block);
  void drop_block(MemoryBlockId block);
  void reserve(std::int64_t bytes);
  std::int64_t new_address(std::int64_t bytes);

  AllocatorSettings settings_;
  IdVector<MemoryBlockId, MemoryBlock> blocks_;
  std::vector<MemoryBlockId> unused_;  ///< ids of blocks that were merged or given back
  /// Blocks that became free since the cache was last released, each once. The next release looks
  /// only at these. All other free blocks were there at the last release, which could not give them
  /// back. Nor can a later one, because this depends only on a block's place and size.
  std::vector<MemoryBlockId> newly_free_;
  IdVector<MemoryBlockId, bool> is_newly_free_;
  IdVector<MemorySegmentId, MemorySegment> segments_;
  std::map<std::int64_t, MemorySegmentId> by_address_;
  std::map<PoolKey, FreeBlocks> pools_;
  std::array<std::uint64_t, 2> searches_{};  ///< for a free block, by pool
  std::int64_t reserved_bytes_ = 0;
  std::int64_t allocated_bytes_ = 0;
  std::int64_t most_reserved_bytes_ = 0;
  std::int64_t retries_ = 0;
  std::int64_t refusals_ = 0;
  std::int64_t next_address_ = std::int64_t{1} << 40;
};

}  // namespace stashscope
