#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/dataflow.h"
#include "core/recompute/config.h"
#include "core/recompute/opportunities.h"

namespace stashscope {

/// Whether two plans cannot both be carried out: they free the same output, treat outputs of one
/// node in different ways, or one makes a tensor again, with a view of it, that the other one puts
/// away.
bool exclude_each_other(const NodePlan& a, const NodePlan& b);

/// Nodes whose outputs stay in memory whatever plans they have; empty: none.
using PinnedNodes = IdVector<NodeId, bool>;
inline bool is_pinned(const PinnedNodes& pinned, NodeId node) {
  return !pinned.empty() && pinned[node];
}

/// The plans of a cluster and type, in execution order.
std::vector<const NodePlan*> plans_of(const Opportunities& opportunities,
                                      const std::string& cluster, PlanType type);

/// The plans that a configuration switches on: of each cluster the first `count` occurrences in
/// execution order, of the chosen type, without those that others exclude. Plans that the reference
/// knows win over others, of one node the recompute plan over the compromise. Plans of pinned nodes
/// count, but are not among them. In execution order.
std::vector<const NodePlan*> select_plans(const Opportunities& opportunities,
                                          const RecomputeConfig& config,
                                          const PinnedNodes& pinned = {});

/// How many of the plans have each cluster and type.
using PlanCounts = std::map<std::pair<std::string, PlanType>, int>;
PlanCounts count_plans(const std::vector<const NodePlan*>& plans);

/// The configuration that switches on every plan of the given types, as levels 1 and 2 of the
/// reference do. A compromise is among them where some node has no other plan.
RecomputeConfig config_of_all(const Opportunities& opportunities, bool with_compromise);

/// The configuration with entries that name an operator replaced by those of the clusters they
/// mean. Entries that name a cluster themselves win; an operator without plans stays, so that it
/// can be told.
RecomputeConfig without_operators(const Graph& graph, const Opportunities& opportunities,
                                  const RecomputeConfig& config);

/// The graph's dataflow with every plan carried out by its strategy: subgraphs cloned, tensors put
/// away and brought back, backward readers of the freed outputs rewired. Later entries are handled
/// first; a node is cloned once.
Dataflow apply_plans(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                     const Opportunities& opportunities, const std::vector<const NodePlan*>& plans);

}  // namespace stashscope
