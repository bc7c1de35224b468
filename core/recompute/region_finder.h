#pragma once

#include <vector>

#include "core/recompute/regions.h"

namespace stashscope {

/// The modules of a captured step that can be regions (`find_regions`), as regions that keep no
/// outputs inside their modules. First come the regions that do not free the outputs of their
/// modules, then those that do. @pre `graph.data().captured` is set
std::vector<Region> regions_of(const Graph& graph);

}  // namespace stashscope
