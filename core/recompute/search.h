#pragma once

#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "core/recompute/strategy.h"

namespace stashscope {

/// What a search upwards ended with.
struct SearchResult {
  std::set<NodeId> picked;
  std::optional<Rational> save_ratio;  ///< set when a widening Cast was kept as the source
  Obstacle obstacle;                   ///< of a failed search
  bool failed = false;
};

/// The reference's bounded breadth-first search for the nodes that make a stashed output again.
class SubgraphSearch {
 public:
  explicit SubgraphSearch(const StrategyInput& input) : input_(input), graph_(input.graph) {}
  explicit SubgraphSearch(StrategyInput&& input) = delete;

  /// Forward nodes that stash something, from last to first.
  std::vector<NodeId> entries() const;
  std::vector<std::size_t> stashed_outputs(NodeId entry) const;

  /// Why the search need not start; nothing when it may.
  std::optional<Obstacle> refusal(NodeId entry) const;

  /// Upwards over (node, output) pairs from all stashed outputs. Outputs that backward reads anyway
  /// end it; a node that is not recomputable makes it fail. @param compromise widening Casts are
  /// picked but not followed
  SearchResult run(NodeId entry, bool compromise) const;

  /// Whether a widening Cast was picked.
  bool widens(const SearchResult& result) const;

  NodePlan plan(NodeId entry, const SearchResult& result, PlanType type) const;

 private:
  const RecomputeRule* recompute_rule(NodeId id) const;
  std::optional<Rational> widening_ratio(NodeId id) const;
  bool is_small_constant_shape(ValueId id) const;
  void follow(NodeId id, const RecomputeRule& rule, std::deque<ValueId>& queue) const;

  const StrategyInput& input_;
  const Graph& graph_;
};

/// What running the plan's subgraph again costs.
PlanCost cost_of_subgraph(const NodePlan& plan, const PlanCostInput& input);

/// Clones the plan's subgraph and lets backward read the clones' outputs.
void apply_subgraph(const NodePlan& plan, DataflowBuilder& builder);

}  // namespace stashscope
