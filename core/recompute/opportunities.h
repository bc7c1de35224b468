#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/graph/boundary.h"
#include "core/ops/rules/op.h"
#include "core/recompute/plan.h"
#include "core/recompute/reference.h"

namespace stashscope {

/// The values that the forward pass keeps for the backward pass.
struct Stash {
  std::vector<NodeId> order;          ///< ONNX Runtime's execution order, used by the analysis
  std::vector<std::size_t> position;  ///< position of each node in `order`
  /// Position of each node in the order in which a cluster's name lists nodes.
  std::vector<std::size_t> name_position;
  std::size_t forward_nodes = 0;  ///< number of leading forward nodes in `order`; 0: no boundary
  std::vector<ValueId> stashed;   ///< made in forward, read in backward, see `ReferenceRules`
  IdVector<ValueId, bool> is_stashed;
  IdVector<ValueId, bool> read_in_backward;  ///< false for all values not made in forward

  bool is_forward(NodeId node) const { return position[node.index()] < forward_nodes; }
};

/// The stash of a training graph with all plans that free stashed values. Source of recompute and
/// compromise: ONNX Runtime's training memory optimizer (bounded breadth-first search upwards from
/// every stashed output), with its known faults corrected.
struct Opportunities : Stash {
  Reference reference = default_reference;  ///< the version whose rules were used
  /// Plans of the strategies known to ONNX Runtime, or of regions in a captured step. Sorted by
  /// entry from last to first. For the same entry, recompute comes before compromise.
  std::vector<NodePlan> plans;
  std::vector<NodePlan> extensions;  ///< plans of the other strategies, ordered by strategy
  IdVector<ClusterId, std::string> clusters;  ///< clusters of all plans, without repeats
  std::set<std::string> only_asked;  ///< regions that were looked for only because of a config
  std::vector<Obstacle>
      obstacles;  ///< why entry nodes have no plan of a type known to ONNX Runtime
};

/// Finds the stash of a graph and all plans. Forward ends with the YieldOp. Without a YieldOp,
/// forward ends where a YieldOp that reads the boundary's outputs would run; these outputs count as
/// read in forward.
/// @param boundary if unknown, only a captured step has plans
/// @param asked regions of a captured step that a config names, such as `h.0[keep mm 0]`
Opportunities find_opportunities(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                                 const Boundary& boundary, const RecomputeSearchOptions& search,
                                 const std::set<std::string>& asked = {});

/// Whether a search with the regions `asked` would return the same result as the search that
/// returned `found`.
bool answers(const Opportunities& found, const std::set<std::string>& asked);

}  // namespace stashscope
