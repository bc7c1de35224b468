#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/recompute/opportunities.h"

namespace stashscope {

class DataflowBuilder;

/// The input of a strategy's search for plans.
struct StrategyInput {
  const Graph& graph;
  const IdVector<NodeId, const Op*>& ops;
  const Boundary& boundary;
  const Stash& stash;
  const RecomputeSearchOptions& search;
  std::set<ValueId> kept;  ///< stashed values that start a transformer layer and must stay
  std::set<std::string> asked = {};  ///< regions that a config names
};

struct Findings {
  std::vector<NodePlan> plans;            ///< by entry, from last to first; regions in any order
  std::vector<Obstacle> obstacles;        ///< why entries with stashed outputs have no plan
  std::set<std::string> only_asked = {};  ///< regions that are looked for only because of a config
};

/// Rates of the copies and conversions that plans add, assuming no overlap with other work.
struct CopyRates {
  double link_bandwidth = 0;    ///< bytes per second from or to the host
  double memory_bandwidth = 0;  ///< bytes per second of the device's memory
  double launch_seconds = 0;    ///< seconds to launch one kernel
  std::int64_t runs = 1;        ///< how often a node runs in a step

  /// Seconds of a copy over the link in all its runs. @param bytes number of bytes copied in a run
  double transfer_seconds(double bytes) const { return times(bytes / link_bandwidth); }
  /// Seconds of a kernel in all its runs. @param bytes number of bytes read plus written in a run
  double kernel_seconds(double bytes) const {
    return times(bytes / memory_bandwidth + launch_seconds);
  }
  double times(double once) const { return static_cast<double>(runs) * once; }
};

/// Sizes and costs of the graph's own nodes and values for given dimension values.
struct PlanCostInput {
  const Graph& graph;
  const IdVector<NodeId, double>& node_flops;
  const IdVector<NodeId, double>& node_seconds;
  const IdVector<ValueId, std::int64_t>& bytes;
  CopyRates rates;
};

/// The cost that a plan adds to a step.
struct PlanCost {
  double flops = 0;
  std::int64_t transfer_bytes = 0;  ///< bytes copied between device and host, both ways
  double seconds = 0;               ///< seconds without overlap, including transfers

  PlanCost& operator+=(const PlanCost& other) {
    flops += other.flops;
    transfer_bytes += other.transfer_bytes;
    seconds += other.seconds;
    return *this;
  }
};

/// A way to reduce the stash. A plan saves the bytes of its stashed outputs times its save ratio; a
/// plan of a region saves the storages that the region frees.
struct Strategy {
  PlanType type;
  std::string_view name;
  std::string_view description;  ///< one clause for lists and tooltips
  bool lossy;                    ///< whether the results of the step may change
  Findings (*find)(const StrategyInput&);
  void (*apply)(const NodePlan&, DataflowBuilder&);  ///< null for regions, see `with_regions`
  PlanCost (*cost)(const NodePlan&, const PlanCostInput&);
};

/// All strategies by ascending type.
std::span<const Strategy> strategies();

/// The strategy of a plan type. @pre type is not PlanType::none
const Strategy& strategy_of(PlanType type);

extern const Strategy recompute_strategy;
extern const Strategy compromise_strategy;
extern const Strategy offload_strategy;
extern const Strategy compress_strategy;
extern const Strategy region_strategy;

}  // namespace stashscope
