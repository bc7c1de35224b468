#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/memory/bands.h"
#include "core/memory/fusion.h"
#include "core/memory/phases.h"
#include "core/planner/cost_model.h"
#include "core/recompute/apply.h"
#include "core/recompute/clusters.h"
#include "core/run/step/runner.h"
#include "core/study/choices/choices.h"
#include "core/study/choices/dimensions.h"

namespace stashscope {

/// What depends on the model, the training goal and the dimension names only.
struct PreparedStep {
  TrainingStep step;
  IdVector<NodeId, const Op*> ops;
  BufferRules rules;
  std::int64_t forward_nodes = 0;
  std::int64_t backward_nodes = 0;
  std::uint64_t fingerprint = 0;  ///< of the graph's nodes: equal for equal steps
};

/// What depends on the dimension values too.
struct Sizes {
  DimensionValues dims;
  IdVector<ValueId, std::int64_t> bytes;
  std::vector<ValueId> unknown;  ///< values whose size cannot be told; they count 0
  NodeWork work;
  IdVector<NodeId, std::int64_t> workspace;  ///< of nodes with subgraphs: their inner peak
  std::int64_t parameter_bytes = 0;
};

/// The memory of one variant of the step.
struct Variant {
  Dataflow dataflow;
  Timeline timeline;
  double flops = 0;
  std::int64_t transfer_bytes = 0;  ///< between device and host, both ways
  std::size_t forward_slots = 0;
  std::vector<BandBytes> bands;  ///< by step
  FusedGroups groups;            ///< of nodes that run as one
};

/// How long the nodes of the step take on the device of the chosen profile.
struct StepTimes {
  NodeTimes seconds;
  std::size_t measured = 0;  ///< nodes whose time a run measured, the others are predicted
  std::string measured_on;   ///< the device of that run
};

struct OrderRow {
  std::string name;
  std::string description;
  std::optional<std::int64_t> peak_bytes;   ///< nothing for a search that was not done
  std::string taken;                        ///< of a best-of, the order whose peak it has
  std::optional<std::int64_t> bound_bytes;  ///< of a search that was done: no order is below
  std::string method;                       ///< what found its order
};

struct FusionRow {
  std::string name;
  std::string description;
  std::size_t groups = 0;
  std::size_t fused_nodes = 0;             ///< in all groups
  std::optional<std::int64_t> peak_bytes;  ///< nothing where it was not looked for
};

/// Everything that is shown of a model under some choices. Immutable; parts that a new choice does
/// not touch are shared with the previous study.
struct Study {
  std::shared_ptr<const Graph> model;  ///< as loaded
  Choices choices;
  RecomputeConfig config;  ///< in force: the chosen plans, or all of a level
  PinnedNodes pinned;      ///< nodes of the graph that `choices` keeps; empty: none
  std::string order;       ///< in force: the chosen one, but without its sequence no planned one
  std::shared_ptr<const PreparedStep> prepared;
  std::shared_ptr<const Sizes> sizes;
  std::shared_ptr<const StepTimes> times;
  std::shared_ptr<const Opportunities> opportunities;
  std::vector<const NodePlan*> applied;     ///< of these, the ones that `config` selects
  std::shared_ptr<const Variant> baseline;  ///< no plans, the file's order
  std::shared_ptr<const Variant> current;
  std::vector<PlanRow> plans;
  std::vector<PlanRow> extensions;  ///< of strategies that the reference does not know
  std::vector<ClusterRow> clusters;
  std::vector<OrderRow> orders;  ///< of the current plans; first, where any is made, with moves
  std::shared_ptr<const std::vector<NodeId>> unmoved;  ///< the order before the user's moves
  /// By move of the choices: why it is left out; empty: it is made.
  std::vector<std::string> moves_left_out;
  std::vector<std::string> warnings;

  const Graph& graph() const { return *prepared->step.graph; }
};

/// The study of `model` under `choices`. @param previous a study of the same model whose parts may
/// be reused; may be null. Throws an Error when the choices do not fit the model, or when
/// cancelled.
std::shared_ptr<const Study> compute_study(std::shared_ptr<const Graph> model,
                                           const Choices& choices, const Study* previous,
                                           const Progress& progress);

/// What the plans compute in addition, and that in per cent of the step without them.
double extra_flops(const Study& study);
double extra_percent(const Study& study);

/// Seconds of a step whose kernels and transfers run one after the other.
double step_seconds(const Study& study, const Variant& variant);

/// What the plans take in addition, and that in per cent of the step without them.
double extra_seconds(const Study& study);
double extra_seconds_percent(const Study& study);

/// The study with the times that runs of its variants measured instead of the predicted ones.
/// @param baseline nothing where only the current variant was measured
std::shared_ptr<const Study> with_measured_times(const Study& study,
                                                 const std::optional<Measurement>& baseline,
                                                 const Measurement& current);

/// Seconds that a step waits for the link between device and host when nothing overlaps.
double transfer_seconds(const Study& study, const Variant& variant);

/// The phases as predicted.
std::vector<MemoryPhase> memory_phases(const Variant& variant);

/// The bands at the peak; all 0 for a graph without nodes.
BandBytes peak_bands(const Variant& variant);

/// Name of the node that runs at the peak; empty for a graph without nodes.
std::string peak_node(const Study& study, const Variant& variant);

/// Bytes at the peak in the model's dimension names.
std::string peak_symbolic(const Study& study, const Variant& variant);

}  // namespace stashscope
