#pragma once

#include <vector>

#include "core/ops/rules/op.h"

namespace stashscope {

/// The outputs of `node` that alias the buffer of its input `value` with other dims.
/// @param op of the node; null for an unknown operator, which has no aliases
std::vector<ValueId> views_of(const Graph& graph, const Node& node, const Op* op, ValueId value);

}  // namespace stashscope
