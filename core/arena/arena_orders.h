#pragma once

#include <cstdint>
#include <vector>

#include "core/arena/arena.h"
#include "core/arena/sections.h"

namespace stashscope {

/// The largest load of the sections in which each buffer lives, in bytes.
std::vector<std::int64_t> largest_loads(const std::vector<ArenaBuffer>& buffers,
                                        const ArenaSections& sections);

enum class ArenaOrder {
  start,       ///< who lives first
  size,        ///< the largest first
  area,        ///< size times time, the largest first
  peak_size,   ///< what lives at the peak first, the last to end first; of others, the largest
  load_start,  ///< the largest load first, then who lives first
  load_area,   ///< the largest load first, then the largest area
  load_width,  ///< the largest load first, then who lives longest
};

/// The buffers in an order; those that are equal in it keep the order of their numbers.
/// @pre there are buffers
std::vector<int> ordered(const std::vector<ArenaBuffer>& buffers,
                         const std::vector<std::int64_t>& loads, ArenaOrder order);

}  // namespace stashscope
