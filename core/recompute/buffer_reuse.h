#pragma once

#include <optional>

#include "core/recompute/opportunities.h"

namespace stashscope {

/// The value whose buffer `value` shares in the reference's analysis: Reshape, Squeeze, Unsqueeze,
/// Flatten and Identity pass their input's buffer on. Nothing when it has a buffer of its own, when
/// the owner has no producer, or when the first reader of an alias on the way is the YieldOp; one
/// that is not there reads the boundary's outputs behind all of forward.
/// @param stash its order and number of forward nodes
std::optional<ValueId> reused_buffer(const Graph& graph, const Boundary& boundary,
                                     const Stash& stash, ValueId value);

}  // namespace stashscope
