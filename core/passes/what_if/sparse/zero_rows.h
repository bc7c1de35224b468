#pragma once

#include "core/passes/what_if/sparse/token_flow.h"

namespace stashscope {

/// Whether a node may give numbers or gradients that are not finite where its tokens are zeros.
bool is_singular(const Rewriter& graph, const TokenFlow& flow, const Node& node);

}  // namespace stashscope
