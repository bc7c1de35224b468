#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/allocator/caching_allocator.h"
#include "core/study/reserved/device_memory.h"
#include "core/study/reserved/reserved_memory.h"

namespace stashscope {

/// A segment of the allocator, with its size in bytes.
struct MapSegment {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  MemoryPool pool = MemoryPool::large;

  friend bool operator==(const MapSegment&, const MapSegment&) = default;
};

/// A tensor or workspace in a segment. All sizes are in bytes.
struct MapBlock {
  std::uint32_t segment = 0;  ///< index among the segments of the map
  std::int64_t offset = 0;    ///< from the start of the segment
  std::int64_t bytes = 0;     ///< the size of the block in the allocator
  std::int64_t requested_bytes = 0;
  BufferId buffer;  ///< invalid: workspace of the node that runs

  friend bool operator==(const MapBlock&, const MapBlock&) = default;
};

/// The segments and blocks of the allocator while the node in a slot runs. Memory of a segment that
/// no block covers is free.
struct AllocatorMap {
  std::vector<MapSegment> segments;  ///< by pool, the large one first, then by address
  std::vector<MapBlock> blocks;      ///< by segment, then by offset
  /// For each segment, the index of its first block. The last element is the number of all blocks.
  std::vector<std::size_t> first_block;

  std::span<const MapBlock> blocks_of(std::size_t segment) const {
    return std::span(blocks).subspan(first_block[segment],
                                     first_block[segment + 1] - first_block[segment]);
  }
  /// The bytes of a segment that no block covers. Visits each block of the segment.
  std::int64_t free_bytes_of(std::size_t segment) const;
};

/// The free memory of all segments of a map, in bytes. No block covers free memory.
struct FreeMemory {
  std::int64_t bytes = 0;
  std::int64_t largest_bytes = 0;  ///< of one piece
  std::size_t pieces = 0;
};
FreeMemory free_memory(const AllocatorMap& map);

/// What the allocator reserves for a step, and where it places the step's tensors.
struct ReservedStep {
  ReservedMemory memory;
  DeviceMemory device;  ///< with the figures of `usual_other_memory`

  /// A block in the last of the played steps.
  struct Placed {
    MemorySegmentId segment;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t requested_bytes = 0;
    BufferId buffer;
    std::size_t first_slot = 0;
    std::size_t last_slot = 0;
  };
  /// A segment as the allocator holds it from a slot on.
  struct Held {
    std::size_t first_slot = 0;
    MemorySegmentId id;
    MapSegment segment;
  };
  std::vector<Placed> blocks;  ///< by address
  std::vector<Held> held;      ///< by slot; a segment that grows has one more entry for each size
};

/// Plays the tensors of a variant through the allocator as `reserved_memory` does.
ReservedStep reserved_step(const Study& study, const Variant& variant,
                           const AllocatorSettings& settings);

/// The segments and blocks while the node in a slot runs. Visits each block of the step.
/// @pre the step has the slot
AllocatorMap allocator_map_at(const ReservedStep& step, std::size_t slot);

}  // namespace stashscope
