#pragma once

#include <span>
#include <vector>

#include "core/recompute/strategy.h"
#include "core/study/step/study.h"

namespace stashscope {

/// The input from which the costs of plans are computed. Refers to the study.
PlanCostInput plan_cost_input(const StudyParts& study);

/// Bytes that a plan frees at the peak of a timeline. Does not count an output whose memory is
/// freed only if a plan for another node is applied, too.
std::int64_t bytes_at_peak(const Graph& graph, const Timeline& timeline, const NodePlan& plan);

/// The plans of a study with their savings at the peak of the step without plans, and their costs.
/// No row is marked as chosen.
PlanTable unmarked_plan_table(const StudyParts& study);

/// The table with the savings and costs of its plans under the study's times.
PlanTable with_effects(const StudyParts& study, PlanTable table);

/// Flops and transferred bytes of the nodes that a dataflow adds to its graph.
PlanCost added_cost(const Graph& graph, const Sizes& sizes, const Dataflow& dataflow);

/// The bytes that an added node moves. For a copy between device and host, these are the bytes of
/// the tensor. For a node that converts the element type, these are the bytes that the node reads
/// and writes in the device's memory. 0 for a node that keeps the state of the random generator.
/// @pre !dataflow.runs_origin(node)
double added_bytes(const IdVector<ValueId, std::int64_t>& bytes, const Dataflow& dataflow,
                   NodeId node);

/// The input from which the seconds of a step are computed. Keeps references to its parts.
struct TimingBasis {
  const IdVector<ValueId, std::int64_t>& bytes;
  const NodeTimes& seconds;  ///< times of the graph's own nodes
  CopyRates rates;
};
TimingBasis timing_basis(const Study& study);

/// The times of the graph's own nodes that the chosen profile predicts.
NodeTimes profile_times(const StudyParts& study, const Sizes& sizes);

/// Seconds of the nodes that a dataflow adds to its graph.
double added_seconds(const TimingBasis& basis, const Dataflow& dataflow);
double added_seconds(const Study& study, const Dataflow& dataflow);

/// Seconds that plans add to a step whose copies overlap: those of the added nodes that copy
/// nothing over the link, and those for which nodes wait for copies. The result is a sum of these
/// times and not the difference of two steps: copies for which no node waits then add exactly 0.
double overlapped_extra_seconds(const TimingBasis& basis, const Dataflow& dataflow,
                                std::span<const NodeId> order, const CopySchedule& copies);
/// Seconds that the plans of a variant add to its step.
double extra_seconds(const TimingBasis& basis, const Variant& variant);

/// Seconds of a step. Kernels run one after the other; transfers, too, unless they overlap.
double step_seconds(const TimingBasis& basis, const Variant& variant);

/// Seconds of each slot of a variant. The times of the graph's own nodes come from `times`. Copies
/// that overlap take no time of their own. The time for which a node waits for such copies counts
/// for the node's slot.
std::vector<double> seconds_by_step(const Study& study, const Variant& variant,
                                    const NodeTimes& times);

/// Seconds of every node of a dataflow: the nodes of the study's graph and the added nodes.
NodeTimes seconds_by_node(const TimingBasis& basis, const Dataflow& dataflow);
NodeTimes seconds_by_node(const Study& study, const Dataflow& dataflow);

CopyRates copy_rates(const StudyParts& study);

/// A stashed tensor that no recompute or compromise plan frees.
struct UnplannedTensor {
  ValueId value;
  std::int64_t bytes = 0;
  NodeId stopped_at;  ///< the node where the search stopped
  std::string rule;   ///< why the search stopped, one clause
};

/// The stashed tensors of a study that no recompute or compromise plan frees, largest first.
std::vector<UnplannedTensor> unplanned_tensors(const Study& study);

}  // namespace stashscope
