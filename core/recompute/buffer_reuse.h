#pragma once

#include <optional>

#include "core/recompute/opportunities.h"

namespace stashscope {

/// The value whose buffer `value` shares in ONNX Runtime's analysis: Reshape, Squeeze, Unsqueeze,
/// Flatten and Identity pass on their input's buffer. Nothing if `value` has its own buffer, if the
/// owner has no producer, or if the first reader of an alias on the way is the YieldOp. In a graph
/// without a YieldOp, the boundary's outputs are read after all forward nodes.
/// @param stash supplies the execution order and the number of forward nodes
std::optional<ValueId> reused_buffer(const Graph& graph, const Boundary& boundary,
                                     const Stash& stash, ValueId value);

}  // namespace stashscope
