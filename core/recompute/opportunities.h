#pragma once

#include <memory>
#include <vector>

#include "core/ops/op.h"
#include "core/recompute/plan.h"

namespace stashscope {

/// What can be recomputed in a training graph. Algorithm: the reference's training memory optimizer
/// (bounded breadth-first search upwards from every stashed output), with its known faults
/// repaired.
struct Opportunities {
  std::vector<NodeId> order;          ///< the reference's execution order, which the analysis uses
  std::vector<std::size_t> position;  ///< of each node in that order
  std::size_t boundary = 0;           ///< position of the YieldOp
  std::vector<ValueId> stashed;       ///< values forward nodes make and backward nodes read
  std::vector<NodePlan> plans;        ///< entries from last to first; recompute before compromise
  std::vector<Obstacle> obstacles;    ///< entries without a plan

  bool is_forward(NodeId node) const { return position[node.index()] <= boundary; }
};

/// @param yield the boundary; without one there are no opportunities
Opportunities find_opportunities(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                 NodeId yield, const Probe& probe);

}  // namespace stashscope
