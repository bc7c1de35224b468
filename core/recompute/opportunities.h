#pragma once

#include <memory>
#include <vector>

#include "core/graph/boundary.h"
#include "core/ops/rules/op.h"
#include "core/recompute/plan.h"

namespace stashscope {

/// What the forward pass keeps for the backward pass.
struct Stash {
  std::vector<NodeId> order;          ///< the reference's execution order, which the analysis uses
  std::vector<std::size_t> position;  ///< of each node in that order
  std::size_t forward_nodes = 0;      ///< that many run first; 0: no boundary is known
  std::vector<ValueId> stashed;       ///< values forward nodes make and backward nodes read
  IdVector<ValueId, bool> is_stashed;
  IdVector<ValueId, bool> read_in_backward;  ///< of values that forward nodes make

  bool is_forward(NodeId node) const { return position[node.index()] < forward_nodes; }
};

/// What can be done about the stash of a training graph. Algorithm of recompute and compromise: the
/// reference's training memory optimizer (bounded breadth-first search upwards from every stashed
/// output), with its known faults repaired.
struct Opportunities : Stash {
  /// Of the strategies that the reference knows; entries from last to first, recompute before
  /// compromise.
  std::vector<NodePlan> plans;
  std::vector<NodePlan> extensions;           ///< of the other strategies, in their order
  IdVector<ClusterId, std::string> clusters;  ///< of all these plans, each once
  std::vector<Obstacle> obstacles;            ///< entries without a plan that the reference knows
};

/// Forward ends with the YieldOp. In a graph without one it ends where a YieldOp would stand that
/// takes the boundary's outputs: they count as read in forward.
/// @param boundary without a known one there are no opportunities
Opportunities find_opportunities(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                 const Boundary& boundary, const RecomputeSearchOptions& search);

}  // namespace stashscope
