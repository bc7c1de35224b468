#pragma once

#include <functional>
#include <vector>

#include "core/recompute/strategy.h"

namespace stashscope {

/// A tensor with all its views.
struct StashedBuffer {
  ValueId root;                 ///< the tensor, made by a forward node
  std::size_t output = 0;       ///< index of `root` among the outputs of that node
  std::vector<NodeId> views;    ///< forward nodes that only make views, in execution order
  std::vector<NodeId> readers;  ///< backward nodes that read the root or a view
};

/// The buffers that only the backward pass keeps alive. Leaves out buffers of graph outputs,
/// inputs, parameters and YieldOp operands, and tensors of nodes whose op type no config string can
/// name. Sorted from the last producer to the first; buffers of the same producer are in output
/// order.
std::vector<StashedBuffer> stashed_buffers(const StrategyInput& input);

/// The plan that evicts a buffer. Its subgraph holds the views, which are rebuilt in backward.
NodePlan eviction_plan(const Graph& graph, const StashedBuffer& buffer, PlanType type);

/// Bytes of the tensor that a plan evicts.
std::int64_t evicted_bytes(const NodePlan& plan, const PlanCostInput& input);

}  // namespace stashscope
