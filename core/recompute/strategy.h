#pragma once

#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "core/recompute/opportunities.h"

namespace stashscope {

class DataflowBuilder;

/// What a strategy may look at when it looks for plans.
struct StrategyInput {
  const Graph& graph;
  const IdVector<NodeId, const Op*>& ops;
  const Boundary& boundary;
  const Stash& stash;
  const Probe& probe;
  std::set<ValueId> kept;  ///< stashed values that must stay: they start a transformer layer
};

struct Findings {
  std::vector<NodePlan> plans;      ///< entries from last to first
  std::vector<Obstacle> obstacles;  ///< entries that stash something but have no plan
};

/// Sizes and costs of the graph's own nodes and values under some dimension values.
struct PlanCostInput {
  const Graph& graph;
  const IdVector<NodeId, double>& node_flops;
  const IdVector<ValueId, std::int64_t>& bytes;
};

/// What carrying out a plan adds to a step.
struct PlanCost {
  double flops = 0;
  std::int64_t transfer_bytes = 0;  ///< over the link between device and host, both ways

  PlanCost& operator+=(const PlanCost& other) {
    flops += other.flops;
    transfer_bytes += other.transfer_bytes;
    return *this;
  }
};

/// A way to hold less between forward and backward. The bytes that a plan saves are those of its
/// stashed outputs times its save ratio, whatever the strategy.
struct Strategy {
  PlanType type;
  std::string_view name;
  std::string_view description;  ///< one clause for lists and tooltips
  bool lossy;                    ///< results of the step may change
  Findings (*find)(const StrategyInput&);
  void (*apply)(const NodePlan&, DataflowBuilder&);
  PlanCost (*cost)(const NodePlan&, const PlanCostInput&);
};

/// All strategies by ascending type.
std::span<const Strategy> strategies();

/// @pre type is not PlanType::none
const Strategy& strategy_of(PlanType type);

extern const Strategy recompute_strategy;
extern const Strategy compromise_strategy;
extern const Strategy offload_strategy;
extern const Strategy compress_strategy;

}  // namespace stashscope
