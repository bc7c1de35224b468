#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocator/caching_allocator.h"

namespace stashscope {

/// A tensor that an allocator places. The caller numbers the tensors.
using PlacedTensorId = Id<struct PlacedTensorTag>;

/// An allocation for which an allocator reserves memory. Sizes in bytes.
struct MemoryGrowth {
  PlacedTensorId tensor;  ///< invalid: a tensor that the caller did not number
  std::int64_t bytes = 0;
  std::int64_t grown_bytes = 0;         ///< newly reserved
  std::int64_t free_bytes = 0;          ///< reserved and free in the tensor's pool before
  std::int64_t largest_free_bytes = 0;  ///< the largest piece of these
  /// Tensors that lie beside the largest free pieces and keep the pieces from merging. At most
  /// three, each once.
  std::vector<PlacedTensorId> between;
};

/// Follows the allocations of one allocator and describes one of those for which memory is
/// reserved. The allocator has no expandable segments.
class GrowthWatch {
 public:
  /// @param described the allocation to describe, counted from 1 among those that reserve memory;
  /// 0: none
  explicit GrowthWatch(std::size_t described) : described_(described) {}

  /// Call it before the allocation. Returns whether the allocation is the one to describe.
  bool allocates(const CachingAllocator& allocator, PlacedTensorId tensor, std::int64_t bytes,
                 std::int64_t stream = 0);
  /// Call it after the allocation.
  void allocated(MemoryBlockId block, PlacedTensorId tensor);
  /// Call it before the block is freed.
  void frees(MemoryBlockId block) { holders_[block] = {}; }

  /// The number of allocations so far for which memory was reserved.
  std::size_t growths() const { return growths_; }
  const std::optional<MemoryGrowth>& growth() const { return growth_; }

 private:
  std::vector<PlacedTensorId> holders_beside(const CachingAllocator& allocator,
                                             const std::vector<MemoryBlockId>& pieces) const;

  std::size_t described_ = 0;
  std::size_t growths_ = 0;
  IdVector<MemoryBlockId, PlacedTensorId> holders_;  ///< the tensor in each block
  std::optional<MemoryGrowth> growth_;
};

}  // namespace stashscope
