#pragma once

#include <vector>

#include "core/recompute/regions.h"

namespace stashscope {

/// Whether only one of two regions can be applied. This is so if the regions share a node. It is
/// also so if one region frees outputs of its module and the other region needs outputs of this
/// module that it cannot get again. A region can get only its arguments again: the first region
/// makes them before the second run of the other region.
bool overlap(const Region& a, const Region& b);

/// Whether the region itself or another region of its cluster reads an output of the region's
/// module. The modules of a cluster have the same `block_pattern`; the regions of a cluster are
/// applied together.
/// @param all the regions found, including `region`
bool is_read_by_its_kind(const Region& region, const std::vector<Region>& all);

}  // namespace stashscope
