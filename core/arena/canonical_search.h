#pragma once

#include <memory>
#include <vector>

#include "core/arena/arena.h"
#include "core/arena/arena_limit.h"
#include "core/arena/sections.h"

namespace stashscope {

enum class ArenaAnswer {
  placed,
  impossible,  ///< proven: no placement has this capacity
  unknown,     ///< the limit ended the search
};

/// An exact search for a placement within a capacity, after
///   M. D. Moffitt: MiniMalloc: A Lightweight Memory Allocator for Hardware-Accelerated Machine
///   Learning, ASPLOS 2023, doi:10.1145/3623278.3624752.
/// It looks only at canonical placements: buffers are placed in the order of their offsets, each at
/// the lowest offset above the placed buffers that it overlaps in time. A branch ends where
///   - a section's floor with all that is still to place there is above the capacity (section
///     inference); the floor is at least the offset that was placed last (monotonic floor) and at
///     least the lowest offset of what is still to place there (unallocated floor),
///   - a buffer would start where another still fits below it (dominance),
///   - a buffer failed that nothing can lie above of (hatless pruning),
///   - an equal buffer failed at the same offset.
/// Where no buffer that is still to place crosses from a section to the next, both sides are
/// searched on their own. Several orders of the candidates take turns with growing numbers of
/// moves.
class CanonicalSearch {
 public:
  explicit CanonicalSearch(const std::vector<ArenaBuffer>& buffers);
  ~CanonicalSearch();

  /// Searches until `clock` is over, and counts the moves there.
  ArenaAnswer search(std::int64_t capacity, ArenaClock& clock);

  /// The offsets of the last search that placed all buffers.
  const std::vector<std::int64_t>& offsets() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace stashscope
