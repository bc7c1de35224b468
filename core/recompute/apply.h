#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/dataflow.h"
#include "core/recompute/config.h"
#include "core/recompute/opportunities.h"

namespace stashscope {

/// Whether two plans conflict, so that only one of them can be applied. Plans conflict if they free
/// the same output, if they have different strategies for outputs of one node, or if one evicts a
/// tensor that the other recomputes together with a view of this tensor. Plans of regions conflict
/// if the regions `overlap`.
bool exclude_each_other(const NodePlan& a, const NodePlan& b);

/// By node: whether the outputs of the node stay in memory regardless of plans. An empty vector
/// pins no node.
using PinnedNodes = IdVector<NodeId, bool>;
inline bool is_pinned(const PinnedNodes& pinned, NodeId node) {
  return !pinned.empty() && pinned[node];
}

/// The plans of a type in a cluster, in execution order.
std::vector<const NodePlan*> plans_of(const Opportunities& opportunities,
                                      const std::string& cluster, PlanType type);

/// The plans that a configuration selects, in execution order: for each cluster, the first `count`
/// plans of the chosen type. Plans that conflict with a selected plan are left out. In a conflict,
/// plan types known to ONNX Runtime take precedence over other types; for the same node, recompute
/// takes precedence over compromise. Plans of pinned nodes count towards `count`, but are not
/// returned.
std::vector<const NodePlan*> select_plans(const Opportunities& opportunities,
                                          const RecomputeConfig& config,
                                          const PinnedNodes& pinned = {});

/// Number of plans by cluster and type.
using PlanCounts = std::map<std::pair<std::string, PlanType>, int>;
PlanCounts count_plans(const std::vector<const NodePlan*>& plans);

/// The configuration that selects every recompute plan, like optimization level 1 of ONNX Runtime.
/// With `with_compromise`, nodes without a recompute plan get their compromise plan, as at level 2.
/// In a captured step, it selects clusters whose regions keep no outputs, as far as these clusters
/// do not conflict.
RecomputeConfig config_of_all(const Opportunities& opportunities, bool with_compromise);

/// Replaces each entry that names an operator by entries for the operator's clusters. Entries that
/// name a cluster take precedence. An entry for an operator without plans stays, so that the caller
/// can report it.
RecomputeConfig without_operators(const Graph& graph, const Opportunities& opportunities,
                                  const RecomputeConfig& config);

/// The graph's dataflow with all plans applied by their strategies: subgraphs cloned, tensors
/// evicted and restored, backward readers of the freed outputs rewired. Plans are applied from the
/// last entry to the first. A node is cloned at most once. For a captured step, the result of
/// `with_regions`.
Dataflow apply_plans(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                     const Opportunities& opportunities, const std::vector<const NodePlan*>& plans);

}  // namespace stashscope
