#pragma once

#include <vector>

#include "core/recompute/regions.h"

namespace stashscope {

/// The modules of a captured step that can be regions (`find_regions`), as regions that keep
/// nothing. First the regions that keep the outputs of their modules, then those that also free
/// these outputs. @pre `graph.data().captured` is set
std::vector<Region> regions_of(const Graph& graph);

}  // namespace stashscope
