#pragma once

#include <vector>

#include "core/recompute/regions.h"

namespace stashscope {

/// Whether only one of two regions can be applied. This is so if the regions share a node, or if
/// one region frees an output that the other region needs, but not as an argument. A freed argument
/// is no hindrance, because it is made again before the region that needs it runs again.
bool overlap(const Region& a, const Region& b);

/// Whether the region itself or another region of its cluster reads an output that the region
/// frees. The modules of a cluster have the same `block_pattern`; the regions of a cluster are
/// applied together.
/// @param all the regions found, including `region`
bool is_read_by_its_kind(const Region& region, const std::vector<Region>& all);

}  // namespace stashscope
