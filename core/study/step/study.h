#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/memory/bands.h"
#include "core/memory/copy_schedule.h"
#include "core/memory/fusion.h"
#include "core/memory/phases.h"
#include "core/planner/cost_model.h"
#include "core/recompute/apply.h"
#include "core/recompute/clusters.h"
#include "core/run/step/runner.h"
#include "core/study/choices/choices.h"
#include "core/study/choices/dimensions.h"

namespace stashscope {

/// The parts of a study that depend only on the model, `Choices::graph` and the dimensions that are
/// chosen to be 0.
struct PreparedStep {
  TrainingStep step;
  IdVector<NodeId, const Op*> ops;
  BufferRules rules;
  std::uint64_t fingerprint = 0;  ///< see `fingerprint` (planned_step.h); equal for equal steps
};

/// The parts of a study that also depend on the dimension values.
struct Sizes {
  DimensionValues dims;
  IdVector<ValueId, std::int64_t> bytes;
  std::vector<ValueId> unknown;  ///< values of unknown size, which count as 0 bytes
  NodeWork work;
  IdVector<NodeId, std::int64_t> workspace;  ///< bytes besides inputs and outputs (workspace.h)
  std::int64_t parameter_bytes = 0;
};

/// The memory and the work of one variant of the step.
struct Variant {
  Dataflow dataflow;
  Timeline timeline;
  double flops = 0;
  std::int64_t transfer_bytes = 0;  ///< bytes copied between device and host, both ways
  std::size_t forward_slots = 0;
  /// The slot from which a captured step updates its parameters. The number of slots if the step
  /// does not update them, or if the step is not captured.
  std::size_t update_slot = 0;
  std::vector<BandBytes> bands;  ///< live bytes of each band, by slot
  FusedGroups groups;            ///< groups of nodes that run as one kernel
  CopySchedule copies;           ///< copies that overlap with nodes; empty: no copy overlaps
  std::int64_t host_bytes = 0;   ///< the most bytes that evicted tensors take on the host
};

/// How long the nodes of the step take: as predicted for the chosen profile, or as measured.
struct StepTimes {
  NodeTimes seconds;
  std::size_t measured = 0;  ///< number of nodes with a measured time; other times are predicted
  std::string measured_on;   ///< the device that the times were measured on
};

enum class OrderOrigin : std::uint8_t { strategy, sequence, moves };

struct OrderRow {
  std::string name;
  std::string description;
  std::optional<std::int64_t> peak_bytes;  ///< not set for a search that was not run
  std::string taken;  ///< the rule whose order a best-of strategy chose; empty for other strategies
  std::optional<std::int64_t> bound_bytes;  ///< lower bound on the peak, after a search
  std::string method;                       ///< the method that found the order
  OrderOrigin origin = OrderOrigin::strategy;
};

/// The name of an order in which the user moved nodes.
constexpr const char* moved_order = "moved";

/// The chosen order before the user's moves, and the known facts about all orders.
struct OrderedStep {
  std::vector<NodeId> nodes;
  std::vector<OrderRow> rows;
};

struct FusionRow {
  std::string name;
  std::string description;
  std::size_t groups = 0;
  std::size_t fused_nodes = 0;             ///< number of nodes in all groups
  std::optional<std::int64_t> peak_bytes;  ///< not set if the peak was not computed
};

/// The rows of plans with their savings and costs.
struct PlanTable {
  std::vector<PlanRow> plans;
  std::vector<PlanRow> extensions;  ///< rows of strategies that ONNX Runtime does not have
};

/// The parts of a study. Parts behind a pointer are constant, so studies with equal choices for a
/// part can share the part.
struct StudyParts {
  std::shared_ptr<const Graph> model;  ///< the model as loaded from its file
  Choices choices;
  std::shared_ptr<const PreparedStep> prepared;
  std::shared_ptr<const Opportunities> opportunities;
  std::shared_ptr<const Sizes> sizes;
  std::shared_ptr<const StepTimes> times;
  RecomputeConfig config;  ///< see `config_in_force`; empty with a planned sequence
  PinnedNodes pinned;      ///< nodes of the graph that `choices` pins; empty: none
  /// The order strategy of the current step: the chosen strategy, or the default when the planned
  /// sequence belongs to another step. Not set: the order of the planned sequence.
  std::optional<std::string> order;
  std::vector<const NodePlan*> applied;     ///< the plans that `config` and `pinned` select
  std::shared_ptr<const Variant> baseline;  ///< the step without plans, in the file's order
  std::shared_ptr<const OrderedStep> ordered;
  std::shared_ptr<const Variant> current;
  /// One text for each move in the choices: the reason why the move is left out, or an empty text
  /// if the move is made.
  std::vector<std::string> moves_left_out;
  std::shared_ptr<const PlanTable> plan_table;
  std::vector<std::string> warnings;

  const Graph& graph() const { return *prepared->step.graph; }
};

/// Everything that is shown of a model under given choices. A study is never changed or copied:
/// other choices or other times make another study.
struct Study : StudyParts {
  explicit Study(StudyParts parts) : StudyParts(std::move(parts)) {}
  Study(const Study&) = delete;
  Study& operator=(const Study&) = delete;
};

/// The study of `model` under `choices`. @param previous a study of the same model whose parts may
/// be reused; may be null. Throws a usage or input Error when the choices do not fit the model, and
/// a cancelled Error when cancelled.
std::shared_ptr<const Study> compute_study(std::shared_ptr<const Graph> model,
                                           const Choices& choices, const Study* previous,
                                           const Progress& progress);

/// The study with the times that were measured in runs of its variants, in place of predicted
/// times. The times of a current variant with fused groups are not used: for a group, only the
/// total time of its nodes is known.
/// @param baseline not set if only the current variant was measured
std::shared_ptr<const Study> with_measured_times(const Study& study,
                                                 const std::optional<Measurement>& baseline,
                                                 const Measurement& current);

/// The result of applying a what-if to the model. Null if the what-if is off, if the model is a
/// captured step, or if the model has a backward pass of its own.
const WhatIfResult* what_if_result(const Study& study, std::string_view name);
/// The what-ifs that change the model, in words such as `Flash attention`.
std::vector<std::string> titles_of_what_ifs(const Study& study);

/// Whether passes and what-ifs may change the study's graph. They may not change a captured step or
/// a model that has a backward pass. They may not change a study with measured times either,
/// because the nodes that they make have no measured times.
bool can_change_graph(const Study& study);

/// The study with another device to run the step. The times stay as they are.
std::shared_ptr<const Study> on_device(const Study& study, const std::string& device);

/// The numbers of forward and backward nodes.
struct NodeCounts {
  std::int64_t forward = 0;
  std::int64_t backward = 0;
};
NodeCounts node_counts(const Study& study);

/// The orders of the current step with their peaks. The first row is the order with the user's
/// moves, if any move is made.
std::vector<OrderRow> order_rows(const Study& study);

/// ONNX Runtime's table of clusters.
std::vector<ClusterRow> cluster_rows(const Study& study);

/// Floating-point operations that the plans add, and the same as a percentage of the operations of
/// the step without plans.
double extra_flops(const Study& study);
double extra_percent(const Study& study);

/// The memory of the device less what is kept free, in bytes. 0: unknown.
std::int64_t memory_to_fit(const Study& study);

/// Seconds of a step. Kernels run one after the other; transfers, too, unless they overlap.
double step_seconds(const Study& study, const Variant& variant);

/// Seconds that the plans add, and the same as a percentage of the seconds of the step without
/// plans.
double extra_seconds(const Study& study);
double extra_seconds_percent(const Study& study);

/// Seconds that a step waits for the link between device and host when transfers do not overlap
/// with kernels.
double transfer_seconds(const Study& study, const Variant& variant);
/// Seconds that the kernels of a step wait for transfers: `transfer_seconds`, or less if the
/// transfers overlap.
double waiting_seconds(const Study& study, const Variant& variant);

/// The predicted memory phases of a variant.
std::vector<MemoryPhase> memory_phases(const Variant& variant);

/// The bands at the peak; all 0 for a graph without nodes.
BandBytes peak_bands(const Variant& variant);

/// Name of the node that runs at the peak; empty for a graph without nodes.
std::string peak_node(const Study& study, const Variant& variant);

/// Bytes at the peak as a formula of the model's dimensions; empty if the formula is too large.
std::string peak_symbolic(const Study& study, const Variant& variant);

}  // namespace stashscope
