#pragma once

#include <set>
#include <string>

#include "core/graph/graph.h"

namespace stashscope::cpu {

/// The operators of a graph that have no kernel, those in subgraphs included.
std::set<std::string> operators_without_kernel(const Graph& graph);

}  // namespace stashscope::cpu
