#pragma once

#include <vector>

#include "core/graph/graph.h"

namespace stashscope {

/// Whether the node runs subgraphs: If, Loop and Scan.
bool is_control_flow(const Node& node);

/// Whether the node is ONNX Runtime's YieldOp, which returns the outputs of the forward pass and
/// takes their gradients.
bool is_yield(const Node& node);

/// The subgraphs that a control-flow node runs.
std::vector<Subgraph> subgraphs_of(const Node& node);

}  // namespace stashscope
