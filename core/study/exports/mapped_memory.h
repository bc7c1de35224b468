#pragma once

#include <vector>

#include "core/allocator/caching_allocator.h"

namespace stashscope {

/// Memory of the device without gaps: a segment, or a part of an expandable segment.
struct MappedMemory {
  std::int64_t address = 0;
  std::int64_t bytes = 0;
  std::int64_t stream = 0;
  MemoryPool pool = MemoryPool::large;
  bool is_expandable = false;
  std::vector<MemoryBlockId> blocks = {};  ///< by ascending address

  std::int64_t end() const { return address + bytes; }
};

/// All memory that the allocator holds, by ascending address.
std::vector<MappedMemory> mapped_memory(const CachingAllocator& allocator);

/// The parts of `memory` that are not in `other`, without blocks. Both are sorted.
std::vector<MappedMemory> missing_in(const std::vector<MappedMemory>& other,
                                     const std::vector<MappedMemory>& memory);

}  // namespace stashscope
