#include "core/allocator/growth_watch.h"

#include <algorithm>
#include <functional>

namespace stashscope {

namespace {

constexpr std::size_t most_between = 3;

/// The free blocks that a stream has in a pool, the largest first.
std::vector<MemoryBlockId> free_pieces(const CachingAllocator& allocator, MemoryPool pool,
                                       std::int64_t stream) {
  std::vector<MemoryBlockId> pieces;
  for (const MemorySegmentId id : allocator.segments()) {
    const MemorySegment& segment = allocator.segment(id);
    if (segment.pool != pool || segment.stream != stream) continue;
    for (const MemoryBlockId block : allocator.blocks_of(id)) {
      if (!allocator.block(block).is_allocated) pieces.push_back(block);
    }
  }
  std::ranges::stable_sort(pieces, std::greater(),
                           [&](MemoryBlockId id) { return allocator.block(id).bytes; });
  return pieces;
}

}  // namespace

bool GrowthWatch::allocates(const CachingAllocator& allocator, PlacedTensorId tensor,
                            std::int64_t bytes, std::int64_t stream) {
  const std::int64_t grown = allocator.choice_for(bytes, stream).segment_bytes;
  if (grown == 0 || ++growths_ != described_) return false;
  const auto pieces = free_pieces(allocator, pool_for(bytes, allocator.settings()), stream);
  growth_ = {tensor, bytes, grown, 0, 0, holders_beside(allocator, pieces)};
  if (!pieces.empty()) growth_->largest_free_bytes = allocator.block(pieces[0]).bytes;
  for (const MemoryBlockId piece : pieces) growth_->free_bytes += allocator.block(piece).bytes;
  return true;
}

void GrowthWatch::allocated(MemoryBlockId block, PlacedTensorId tensor) {
  if (holders_.size() <= block.index()) holders_.resize(block.index() + 1);
  holders_[block] = tensor;
}

std::vector<PlacedTensorId> GrowthWatch::holders_beside(
    const CachingAllocator& allocator, const std::vector<MemoryBlockId>& pieces) const {
  std::vector<PlacedTensorId> holders;
  for (const MemoryBlockId piece : pieces) {
    const MemoryBlock& block = allocator.block(piece);
    for (const MemoryBlockId beside : {block.previous, block.next}) {
      if (holders.size() == most_between) return holders;
      if (!beside.valid() || beside.index() >= holders_.size()) continue;
      const PlacedTensorId holder = holders_[beside];
      if (holder.valid() && std::ranges::find(holders, holder) == holders.end()) {
        holders.push_back(holder);
      }
    }
  }
  return holders;
}

}  // namespace stashscope
