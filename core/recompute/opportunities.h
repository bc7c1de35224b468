#pragma once

#include <memory>
#include <vector>

#include "core/ops/op.h"
#include "core/recompute/plan.h"

namespace stashscope {

/// What the forward pass keeps for the backward pass.
struct Stash {
  std::vector<NodeId> order;          ///< the reference's execution order, which the analysis uses
  std::vector<std::size_t> position;  ///< of each node in that order
  std::size_t boundary = 0;           ///< position of the YieldOp
  std::vector<ValueId> stashed;       ///< values forward nodes make and backward nodes read
  IdVector<ValueId, bool> is_stashed;
  IdVector<ValueId, bool> read_in_backward;  ///< of values that forward nodes make

  bool is_forward(NodeId node) const { return position[node.index()] <= boundary; }
};

/// What can be done about the stash of a training graph. Algorithm of recompute and compromise: the
/// reference's training memory optimizer (bounded breadth-first search upwards from every stashed
/// output), with its known faults repaired.
struct Opportunities : Stash {
  /// Of the strategies that the reference knows; entries from last to first, recompute before
  /// compromise.
  std::vector<NodePlan> plans;
  std::vector<NodePlan> extensions;  ///< of the other strategies, in their order
  std::vector<Obstacle> obstacles;   ///< entries without a plan that the reference knows
};

/// @param yield the boundary; without one there are no opportunities
Opportunities find_opportunities(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                 NodeId yield, const Probe& probe);

}  // namespace stashscope
