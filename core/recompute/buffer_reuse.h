#pragma once

#include <optional>

#include "core/graph/graph.h"

namespace stashscope {

/// The value whose buffer `value` shares in the reference's analysis: Reshape, Squeeze, Unsqueeze,
/// Flatten and Identity pass their input's buffer on. Nothing when it has a buffer of its own, when
/// the owner has no producer, or when the first reader of an alias on the way is the YieldOp.
/// @param position of each node in the order of the analysis
std::optional<ValueId> reused_buffer(const Graph& graph, const std::vector<std::size_t>& position,
                                     ValueId value);

}  // namespace stashscope
