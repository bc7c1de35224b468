#pragma once

#include <functional>
#include <vector>

#include "core/recompute/strategy.h"

namespace stashscope {

/// A tensor with all that show its memory under other dims.
struct StashedBuffer {
  ValueId root;                 ///< made by a forward node
  std::size_t output = 0;       ///< of that node
  std::vector<NodeId> views;    ///< forward nodes that only pass the memory on, in order
  std::vector<NodeId> readers;  ///< backward nodes that read the root or a view
};

/// The buffers that only the backward pass keeps alive: not those of graph outputs, of inputs or
/// parameters, or that the YieldOp hands out. By their makers, from last to first; of one maker in
/// the order of its outputs.
std::vector<StashedBuffer> stashed_buffers(const StrategyInput& input);

/// The plan that puts a buffer away; its subgraph is the views, to be made anew in backward.
NodePlan eviction_plan(const Graph& graph, const StashedBuffer& buffer, PlanType type);

/// The bytes of the tensor that a plan puts away.
std::int64_t evicted_bytes(const NodePlan& plan, const PlanCostInput& input);

}  // namespace stashscope
