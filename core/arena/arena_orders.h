#pragma once

#include <cstdint>
#include <vector>

#include "core/arena/arena.h"
#include "core/arena/sections.h"

namespace stashscope {

/// For each buffer, the load of the fullest section in which it lives: the bytes of all buffers
/// that live there.
std::vector<std::int64_t> largest_loads(const std::vector<ArenaBuffer>& buffers,
                                        const ArenaSections& sections);

enum class ArenaOrder {
  start,       ///< the earliest start of life first
  size,        ///< the largest first
  area,        ///< size times time, the largest first
  peak_size,   ///< what lives at the peak, the last to end first; then the rest, the largest first
  load_start,  ///< the largest load first, then the earliest start of life
  load_area,   ///< the largest load first, then the largest area
  load_width,  ///< the largest load first, then the longest life
};

/// The numbers of the buffers, sorted by an order. Of buffers that are equal in this order, the
/// lowest number comes first.
/// @pre there are buffers
std::vector<int> ordered(const std::vector<ArenaBuffer>& buffers,
                         const std::vector<std::int64_t>& loads, ArenaOrder order);

}  // namespace stashscope
