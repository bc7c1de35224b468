#pragma once

#include "core/passes/rewriting/rewriter.h"

namespace stashscope {

/// Whether a node is a Reshape that merges two or more leading axes into one and keeps the other
/// axes, whose sizes must be known.
bool merges_leading_axes(const Rewriter& graph, NodeId id);

/// Moves a Reshape that merges leading axes above the producer of its input. The producer then
/// works on the merged axis. Returns false and changes nothing when that is impossible.
bool flatten_upstream(Rewriter& graph, NodeId reshape);

}  // namespace stashscope
