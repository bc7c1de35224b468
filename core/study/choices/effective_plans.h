#pragma once

#include <set>
#include <string>

#include "core/recompute/apply.h"
#include "core/study/choices/choices.h"
#include "core/study/choices/node_names.h"

namespace stashscope {

/// The plans that the choices switch on: all plans of the chosen level, except that a choice for a
/// cluster replaces the plans of the level for this cluster.
RecomputeConfig config_in_force(const Graph& graph, const PlanChoices& choices,
                                const Opportunities& opportunities);

/// The nodes that the names in `pinned` identify. @param names the names of the graph's own nodes
PinnedNodes pinned_nodes(const NodeNames& names, const std::set<std::string>& pinned);

}  // namespace stashscope
