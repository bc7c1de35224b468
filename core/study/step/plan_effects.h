#pragma once

#include <vector>

#include "core/recompute/strategy.h"
#include "core/study/step/study.h"

namespace stashscope {

/// What tells the costs of plans. Refers to the study.
PlanCostInput plan_cost_input(const Study& study);

/// What of the outputs that a plan frees is alive at the peak of a timeline; those that share
/// another node's buffer left out.
std::int64_t bytes_at_peak(const Graph& graph, const Timeline& timeline, const NodePlan& plan);

/// Sets what the plans of all rows save at the peak of the step without plans, and what they cost.
void add_plan_effects(Study& study);

/// Flops and transfers of the nodes that a dataflow adds to its graph's own.
PlanCost added_cost(const Graph& graph, const Sizes& sizes, const Dataflow& dataflow);

/// Of nodes that put a tensor away or bring it back: copies to or from the host, not conversions.
bool takes_the_link(AddedKind kind);

/// What such a node reads and writes in the device's memory, or moves over the link.
/// @pre !dataflow.runs_origin(node)
double added_bytes(const Study& study, const Dataflow& dataflow, NodeId node);

/// Seconds that these nodes take.
double added_seconds(const Study& study, const Dataflow& dataflow);

/// Seconds of each step of a variant, as `times` has them of the graph's own nodes.
std::vector<double> seconds_by_step(const Study& study, const Variant& variant,
                                    const NodeTimes& times);

/// Seconds of every node of a dataflow of the study's graph, its own and added ones.
NodeTimes seconds_by_node(const Study& study, const Dataflow& dataflow);

CopyRates copy_rates(const Study& study);

/// A stashed tensor that no plan of the reference's kinds frees.
struct UnplannedTensor {
  ValueId value;
  std::int64_t bytes = 0;
  NodeId stopped_at;  ///< the node that the search could not pass
  std::string rule;   ///< one clause
};

/// Largest first.
std::vector<UnplannedTensor> unplanned_tensors(const Study& study);

}  // namespace stashscope
