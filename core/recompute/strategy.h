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
  const RecomputeSearchOptions& search;
  std::set<ValueId> kept;  ///< stashed values that must stay: they start a transformer layer
};

struct Findings {
  std::vector<NodePlan> plans;      ///< entries from last to first
  std::vector<Obstacle> obstacles;  ///< entries that stash something but have no plan
};

/// How fast a device does what plans add beside clones of nodes, when nothing overlaps.
struct CopyRates {
  double link_bandwidth = 0;    ///< bytes per second from or to the host
  double memory_bandwidth = 0;  ///< bytes per second of the device's memory
  double launch_seconds = 0;    ///< of each kernel

  /// A copy over the link. @param bytes on either side
  double transfer_seconds(double bytes) const { return bytes / link_bandwidth; }
  /// A kernel that reads and writes `bytes` in all.
  double kernel_seconds(double bytes) const { return bytes / memory_bandwidth + launch_seconds; }
};

/// Sizes and costs of the graph's own nodes and values under some dimension values.
struct PlanCostInput {
  const Graph& graph;
  const IdVector<NodeId, double>& node_flops;
  const IdVector<NodeId, double>& node_seconds;
  const IdVector<ValueId, std::int64_t>& bytes;
  CopyRates rates;
};

/// What carrying out a plan adds to a step.
struct PlanCost {
  double flops = 0;
  std::int64_t transfer_bytes = 0;  ///< over the link between device and host, both ways
  double seconds = 0;               ///< when nothing overlaps, transfers included

  PlanCost& operator+=(const PlanCost& other) {
    flops += other.flops;
    transfer_bytes += other.transfer_bytes;
    seconds += other.seconds;
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
