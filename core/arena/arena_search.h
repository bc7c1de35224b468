#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/arena/arena.h"
#include "core/base/progress.h"
#include "core/base/search_limit.h"

namespace stashscope {

struct ArenaResult {
  ArenaPlacement placement;
  std::int64_t load_bound = 0;   ///< the largest sum of live bytes
  std::int64_t lower_bound = 0;  ///< proven: no placement has a lower capacity
};

/// Offsets for all buffers. They fit `capacity` bytes if the search finds such offsets. Otherwise,
/// or without `capacity`, they need the lowest capacity found. Greedy passes in several orders come
/// first, then a short local search over the orders (local_search.h), then, for up to 2,000
/// buffers, an exact search (canonical_search.h), and then local search again. Even with a short
/// limit, the result is never worse than first fit in the order of time: this pass ignores the
/// limit. All else ends at the limit. Throws a `cancelled` Error if the search is cancelled.
ArenaResult find_placement(const std::vector<ArenaBuffer>& buffers,
                           std::optional<std::int64_t> capacity, const SearchLimit& limit,
                           const Progress& progress);

}  // namespace stashscope
