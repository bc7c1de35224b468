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

/// Offsets for all buffers, within `capacity` bytes if the search finds them, else, or without
/// `capacity`, at the lowest capacity found. Greedy passes in several orders come first, then, for
/// up to 2,000 buffers, an exact search (canonical_search.h), then a local search over the orders
/// (local_search.h). The result is never worse than first fit in the order of time, also when the
/// limit is short: only `cancel` ends that pass, and all others end at the limit. Throws a
/// `cancelled` Error.
ArenaResult find_placement(const std::vector<ArenaBuffer>& buffers,
                           std::optional<std::int64_t> capacity, const SearchLimit& limit,
                           const Progress& progress);

}  // namespace stashscope
