#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/arena/arena.h"
#include "core/arena/sections.h"

namespace stashscope {

/// Offsets from one pass over the buffers, without looking ahead. A pass over 60,000 buffers takes
/// seconds. `first_fit` and `stacked_fit` return the offset of each buffer. They return an empty
/// vector if a buffer would end above `most_bytes`, or if the pass is stopped.

/// Whether a pass stops. It is asked before the first buffer and then every few hundred buffers;
/// an empty function never stops a pass.
using StopsPass = std::function<bool()>;

/// Places the buffers in the order `order`, each at the lowest offset where it shares no bytes with
/// an earlier one that lives at the same time.
std::vector<std::int64_t> first_fit(const std::vector<ArenaBuffer>& buffers,
                                    const ArenaSections& sections, const std::vector<int>& order,
                                    std::int64_t most_bytes, const StopsPass& stops = {});

/// Buffers are stacked from below: next comes the buffer that can lie lowest above those that are
/// placed, of several the first in `order`. Room below a placed buffer stays empty.
std::vector<std::int64_t> stacked_fit(const std::vector<ArenaBuffer>& buffers,
                                      const ArenaSections& sections, const std::vector<int>& order,
                                      std::int64_t most_bytes, const StopsPass& stops = {});

}  // namespace stashscope
