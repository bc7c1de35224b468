#pragma once

#include <vector>

#include "core/ops/rules/op.h"

namespace stashscope {

/// The outputs of `node` that always share the buffer of the input `value`.
/// @param op the node's operator; null for an unknown operator, whose outputs share no buffers
std::vector<ValueId> views_of(const Graph& graph, const Node& node, const Op* op, ValueId value);

}  // namespace stashscope
