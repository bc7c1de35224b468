#pragma once

#include <vector>

#include "core/recompute/regions.h"

namespace stashscope {

/// Whether two regions share a node, or one region needs an output that the other region frees and
/// that is not among its arguments. Only one of two such regions can be applied. Freed arguments
/// are no hindrance: they are made again before the region that needs them runs again.
bool overlap(const Region& a, const Region& b);

/// Whether the region itself or another region of its cluster reads an output that the region
/// frees. The modules of a cluster have the same `block_pattern`; the regions of a cluster are
/// applied together.
/// @param all the regions found, including `region`
bool is_read_by_its_kind(const Region& region, const std::vector<Region>& all);

}  // namespace stashscope
