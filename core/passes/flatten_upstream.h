#pragma once

#include "core/passes/rewriter.h"

namespace stashscope {

/// Whether a node is a Reshape that makes one axis of two or more leading ones and keeps the rest.
bool merges_leading_axes(const Rewriter& graph, NodeId id);

/// Moves such a Reshape above the node that makes its input, so that this works on the merged axis.
/// Returns false, with nothing changed, where that cannot be.
bool flatten_upstream(Rewriter& graph, NodeId reshape);

}  // namespace stashscope
