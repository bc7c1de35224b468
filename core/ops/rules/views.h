#pragma once

#include <vector>

#include "core/ops/rules/op.h"

namespace stashscope {

/// The outputs of `node` that show the memory of its input `value` under other dims.
/// @param op of the node; null: an unknown operator shows none
std::vector<ValueId> views_of(const Graph& graph, const Node& node, const Op* op, ValueId value);

}  // namespace stashscope
