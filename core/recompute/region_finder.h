#pragma once

#include <vector>

#include "core/recompute/regions.h"

namespace stashscope {

/// The modules of a captured step that can be regions (`find_regions`). These regions keep none of
/// the outputs that nodes inside the module pass to each other. The regions that come first leave
/// the outputs of the module itself in memory; those that come last free these outputs, too
/// (`Region::frees_outputs`).
/// @pre `graph.data().captured` is set
std::vector<Region> regions_of(const Graph& graph);

}  // namespace stashscope
