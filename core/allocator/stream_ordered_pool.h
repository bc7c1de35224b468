#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/allocator/pool_settings.h"
#include "core/base/id.h"

namespace stashscope {

struct PoolBlockTag;
using PoolBlockId = Id<PoolBlockTag>;

/// Which free piece of memory an allocation takes among those that are large enough. Assumed: CUDA
/// does not publish it.
enum class PoolFit : std::uint8_t {
  smallest,  ///< the smallest; of several, the one with the lowest address
  first      ///< the one with the lowest address
};

/// A piece of memory in the pool, in bytes.
struct PoolPiece {
  std::int64_t address = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const PoolPiece&, const PoolPiece&) = default;
};

/// A value that behaves like a stream-ordered memory pool of CUDA which one stream uses, as far as
/// its rules are published (`PoolSettings`), with an assumed fit. It computes addresses and holds
/// no memory.
///
/// Assumed besides the fit: the pool takes memory in chunks, each the smallest multiple of the
/// granularity that holds the allocation; freed neighbours of one chunk merge; memory is never
/// moved to another address. NVIDIA says that the driver remaps the free memory of a pool to make
/// room ("Using the NVIDIA CUDA Stream-Ordered Memory Allocator", part 1) but not when, so a real
/// pool may reserve less. It may reserve more, too, because its fit is unknown.
class StreamOrderedPool {
 public:
  explicit StreamOrderedPool(const PoolSettings& settings = {}, PoolFit fit = PoolFit::smallest);

  /// Places an allocation of at least 0 bytes, in new memory if there is no room.
  PoolBlockId allocate(std::int64_t bytes);
  /// @pre the block is allocated
  void free(PoolBlockId block);
  /// Releases whole free chunks, but never leaves less than the release threshold in the pool.
  /// Assumed: those with the highest address first.
  void synchronize();

  /// Where the block lies, with its rounded size. Of no meaning once the block is freed.
  const PoolPiece& piece(PoolBlockId block) const { return blocks_[block]; }

  /// What `cudaMemPoolAttrReservedMemCurrent` tells.
  std::int64_t reserved_bytes() const { return reserved_bytes_; }
  /// What `cudaMemPoolAttrReservedMemHigh` tells.
  std::int64_t most_reserved_bytes() const { return most_reserved_bytes_; }
  /// The rounded bytes of all allocations.
  std::int64_t used_bytes() const { return used_bytes_; }
  std::int64_t most_used_bytes() const { return most_used_bytes_; }

 private:
  using Pieces = std::map<std::int64_t, std::int64_t>;  // sizes by address

  Pieces::iterator find_free(std::int64_t bytes);
  Pieces::iterator add_chunk(std::int64_t bytes);
  void insert_free(std::int64_t address, std::int64_t bytes);
  Pieces::iterator erase_free(Pieces::iterator piece);
  PoolBlockId make_block(const PoolPiece& piece);

  std::int64_t granularity_;
  std::int64_t threshold_;
  PoolFit fit_;
  Pieces chunks_;
  Pieces free_;                                              ///< no two of them are neighbours
  std::set<std::pair<std::int64_t, std::int64_t>> by_size_;  ///< sizes and addresses of `free_`
  IdVector<PoolBlockId, PoolPiece> blocks_;
  std::vector<PoolBlockId> unused_;  ///< ids of freed blocks
  std::int64_t reserved_bytes_ = 0;
  std::int64_t most_reserved_bytes_ = 0;
  std::int64_t used_bytes_ = 0;
  std::int64_t most_used_bytes_ = 0;
  std::int64_t next_address_ = std::int64_t{1} << 40;
};

/// The least that any pool with these settings can reserve for this many rounded bytes.
std::int64_t least_reserved_bytes(std::int64_t used_bytes, const PoolSettings& settings);

}  // namespace stashscope
