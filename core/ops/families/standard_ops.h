#pragma once

#include "core/ops/rules/op.h"

namespace stashscope {

/// All operators that Stashscope knows.
const OpRegistry& standard_ops();

/// The operator of each node of a graph; null for an unknown operator.
IdVector<NodeId, const Op*> resolve_ops(const Graph& graph,
                                        const OpRegistry& registry = standard_ops());

}  // namespace stashscope
