#pragma once

#include "core/ops/rules/op.h"

namespace stashscope {

/// All operators that the program knows.
const OpRegistry& standard_ops();

/// The operators of a graph's nodes, looked up once; null entries are unknown operators.
IdVector<NodeId, const Op*> resolve_ops(const Graph& graph,
                                        const OpRegistry& registry = standard_ops());

}  // namespace stashscope
