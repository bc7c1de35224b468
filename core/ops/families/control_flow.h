#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Whether the node runs subgraphs: If, Loop and Scan.
bool is_control_flow(const Node& node);

/// The subgraphs that a control-flow node runs.
std::vector<Subgraph> subgraphs_of(const Node& node);

}  // namespace stashscope
