#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocator/caching_allocator.h"

namespace stashscope {

/// A tensor of those that an allocator places; the caller counts them.
using PlacedTensorId = Id<struct PlacedTensorTag>;

/// An allocation for which an allocator reserves memory. Sizes in bytes.
struct MemoryGrowth {
  PlacedTensorId tensor;  ///< invalid: a tensor that the caller did not count
  std::int64_t bytes = 0;
  std::int64_t grown_bytes = 0;         ///< newly reserved
  std::int64_t free_bytes = 0;          ///< before it, reserved and free for the tensor's pool
  std::int64_t largest_free_bytes = 0;  ///< the largest piece of these
  /// Beside the largest free pieces, so that these do not merge. At most three, each once.
  std::vector<PlacedTensorId> between;
};

/// Follows the allocations of one allocator and describes one of those for which memory is
/// reserved. The allocator has no expandable segments.
class GrowthWatch {
 public:
  /// @param described the number of that allocation, from 1; 0: none
  explicit GrowthWatch(std::size_t described) : described_(described) {}

  /// Before the allocation. Returns whether it is the one to describe.
  bool allocates(const CachingAllocator& allocator, PlacedTensorId tensor, std::int64_t bytes,
                 std::int64_t stream = 0);
  /// After the allocation.
  void allocated(MemoryBlockId block, PlacedTensorId tensor);
  /// Before the block is freed.
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
