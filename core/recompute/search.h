#pragma once

#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "core/recompute/strategy.h"

namespace stashscope {

/// The result of an upward search.
struct SearchResult {
  std::set<NodeId> picked;
  /// The share of the stashed bytes that the plan frees. Set only if the search reached a widening
  /// Cast whose input stays stashed.
  std::optional<Rational> save_ratio;
  Obstacle obstacle;  ///< reason if the search failed
  bool failed = false;
};

/// ONNX Runtime's bounded breadth-first search for the nodes that recompute a stashed output.
class SubgraphSearch {
 public:
  explicit SubgraphSearch(const StrategyInput& input)
      : input_(input), graph_(input.graph), rules_(rules_of(input.search.reference)) {}
  explicit SubgraphSearch(StrategyInput&& input) = delete;

  /// Forward nodes with stashed outputs, from last to first.
  std::vector<NodeId> entries() const;
  std::vector<std::size_t> stashed_outputs(NodeId entry) const;

  /// The reason to skip the search for an entry, if there is one.
  std::optional<Obstacle> refusal(NodeId entry) const;

  /// Searches upwards from all stashed outputs of the entry. Stops at values that are available in
  /// backward. Fails at a node that is not recomputable, or if there are too many nodes.
  /// @param compromise if set, includes widening Casts but does not search beyond them, and fails
  /// if it finds none
  SearchResult run(NodeId entry, bool compromise) const;

  /// Whether the result includes a widening Cast.
  bool widens(const SearchResult& result) const;

  NodePlan plan(NodeId entry, const SearchResult& result, PlanType type) const;

 private:
  const RecomputeRule* recompute_rule(NodeId id) const;
  std::optional<Rational> widening_ratio(NodeId id) const;
  bool is_small_constant_shape(ValueId id) const;
  bool is_available(ValueId id) const;
  void follow(NodeId id, const RecomputeRule& rule, std::deque<ValueId>& queue) const;

  const StrategyInput& input_;
  const Graph& graph_;
  const ReferenceRules& rules_;
};

/// The cost of running the plan's subgraph again.
PlanCost cost_of_subgraph(const NodePlan& plan, const PlanCostInput& input);

/// Clones the plan's subgraph and makes backward read the clones' outputs.
void apply_subgraph(const NodePlan& plan, DataflowBuilder& builder);

}  // namespace stashscope
