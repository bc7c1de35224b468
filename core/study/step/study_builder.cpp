#include "core/base/error.h"
#include "core/graph/micro_batches.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/training_step.h"
#include "core/study/choices/effective_plans.h"
#include "core/study/choices/effective_update.h"
#include "core/study/choices/node_names.h"
#include "core/study/choices/zero_dims.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/moved_order.h"
#include "core/study/step/overlapped_step.h"
#include "core/study/step/plan_effects.h"
#include "core/study/step/planned_step.h"
#include "core/study/step/selected_passes.h"
#include "core/study/step/sized_model.h"
#include "core/study/step/sizes.h"
#include "core/study/step/study.h"
#include "core/study/step/study_warnings.h"
#include "core/study/step/variants.h"

namespace stashscope {

namespace {

constexpr const char* captured_order = "a captured step keeps PyTorch's order";

TrainingStep step_with_zeros(const Graph& model, const GraphChoices& choices,
                             const SizeChoices& zeros) {
  return prepare_training_step(sized_model(model, choices, zeros), choices.goal,
                               selected_passes(choices));
}

/// The first dimension in `zeros` that makes the model invalid if only this dimension is 0. If
/// there is no such dimension, the first dimension in `zeros`.
std::string dimension_at_fault(const Graph& model, const GraphChoices& choices,
                               const SizeChoices& zeros) {
  for (const auto& [name, value] : zeros) {
    try {
      step_with_zeros(model, choices, {{name, value}});
    } catch (const Error&) {
      return name;
    }
  }
  return zeros.begin()->first;
}

/// Throws a usage Error instead of an input Error if the model is invalid only because dimensions
/// are 0.
TrainingStep training_step(const Graph& model, const GraphChoices& choices,
                           const SizeChoices& zeros) {
  try {
    return step_with_zeros(model, choices, zeros);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || zeros.empty()) throw;
    step_with_zeros(model, choices, {});
    fail_usage("dimension '" + printable(dimension_at_fault(model, choices, zeros)) + "'",
               std::string("cannot be 0: ") + error.what(), "give a larger number");
  }
}

std::shared_ptr<const PreparedStep> prepare(const Graph& model, const GraphChoices& choices,
                                            const SizeChoices& zeros) {
  auto prepared = std::make_shared<PreparedStep>();
  prepared->step = training_step(model, choices, zeros);
  const Graph& graph = *prepared->step.graph;
  prepared->ops = resolve_ops(graph);
  std::vector<ValueId> parameters;
  std::vector<ValueId> gradients;
  for (const Parameter& each : prepared->step.parameters) {
    parameters.push_back(each.value);
    gradients.push_back(each.gradient);
  }
  if (graph.data().micro_batches) {
    for (const GradientSum& each : graph.data().micro_batches->sums) {
      gradients.insert(gradients.end(), {each.buffer, each.gradient});
    }
  }
  prepared->rules = buffer_rules(graph, prepared->ops, parameters, gradients);
  prepared->fingerprint = fingerprint(graph);
  return prepared;
}

/// Throws a usage Error instead of an input Error if sizes are too large only because of the chosen
/// dimensions.
std::shared_ptr<const Sizes> sizes_as_chosen(const PreparedStep& prepared,
                                             const SizeChoices& dims) {
  try {
    return sizes_under(prepared, dims);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || dims.empty()) throw;
    sizes_under(prepared, {});
    throw Error(ErrorKind::usage, error.where(), error.reason(), "choose smaller dimensions");
  }
}

/// Builds a study part by part. Each part depends on some of the choices and on earlier parts. If
/// these choices and parts are equal in the previous study, the builder reuses the previous part.
class StudyBuilder {
 public:
  StudyBuilder(std::shared_ptr<const Graph> model, const Choices& choices, const Study* previous,
               const Progress& progress)
      : previous_(previous != nullptr && previous->model == model ? previous : nullptr),
        progress_(progress) {
    parts_.model = std::move(model);
    parts_.choices = choices;
  }

  std::shared_ptr<const Study> build() {
    make_prepared();
    make_opportunities();
    make_sizes();
    make_times();
    make_baseline();
    select_plans();
    make_current();
    progress_.update(0.9, "tables");
    make_plan_table();
    parts_.warnings = warnings_of(parts_);
    return std::make_shared<const Study>(std::move(parts_));
  }

 private:
  void make_prepared() {
    progress_.update(0, "shapes and gradients");
    const GraphChoices& choices = parts_.choices.graph;
    const SizeChoices zeros = zero_dims(parts_.choices.dims);
    const bool is_same = previous_ != nullptr && previous_->choices.graph == choices &&
                         zero_dims(previous_->choices.dims) == zeros;
    parts_.prepared = is_same ? previous_->prepared : prepare(*parts_.model, choices, zeros);
    if (!is_same) previous_ = nullptr;
  }

  void make_opportunities() {
    const RecomputeSearchOptions search = effective_search_options(parts_.choices.plans);
    const std::set<std::string> asked = regions_in(parts_.choices.plans.config);
    if (previous_ != nullptr && effective_search_options(previous_->choices.plans) == search &&
        answers(*previous_->opportunities, asked)) {
      parts_.opportunities = previous_->opportunities;
      return;
    }
    progress_.update(0.5, "recompute opportunities");
    const PreparedStep& prepared = *parts_.prepared;
    parts_.opportunities = std::make_shared<const Opportunities>(
        find_opportunities(parts_.graph(), prepared.ops, prepared.step.boundary, search, asked));
  }

  void make_sizes() {
    progress_.update(0.6, "sizes");
    const SizeChoices& dims = parts_.choices.dims;
    has_same_sizes_ = previous_ != nullptr && previous_->choices.dims == dims;
    parts_.sizes = has_same_sizes_ ? previous_->sizes : sizes_as_chosen(*parts_.prepared, dims);
  }

  void make_times() {
    const TimeChoices& choices = parts_.choices.times;
    if (has_same_sizes_ && previous_->choices.times == choices) {
      parts_.times = previous_->times;
      return;
    }
    parts_.times =
        std::make_shared<const StepTimes>(StepTimes{profile_times(parts_, *parts_.sizes), 0, ""});
  }

  void make_baseline() {
    progress_.update(0.7, "memory");
    const PreparedStep& prepared = *parts_.prepared;
    const UpdateChoice& update = parts_.choices.update;
    update_ = update_memory(parts_.graph(), prepared.step.parameters,
                            effective_update(parts_.graph(), update));
    has_same_baseline_ = has_same_sizes_ && previous_->choices.update == update;
    if (has_same_baseline_) {
      parts_.baseline = previous_->baseline;
      return;
    }
    Dataflow dataflow(parts_.graph());
    const OrderInput input = order_input(prepared, *parts_.sizes, update_, dataflow);
    Timeline timeline = make_timeline(dataflow, input.memory, order_strategies()[0].order(input));
    parts_.baseline =
        make_variant(prepared, *parts_.sizes, std::move(dataflow), std::move(timeline));
  }

  /// Sets the plans and the order strategy of the current step. Ignores a planned sequence that
  /// belongs to another step.
  void select_plans() {
    const PlanChoices& choices = parts_.choices.plans;
    const Opportunities& found = *parts_.opportunities;
    const bool has_sequence = is_planned(parts_);
    if (!has_sequence) parts_.config = config_in_force(parts_.graph(), choices, found);
    if (!choices.pinned.empty()) {
      parts_.pinned = pinned_nodes(NodeNames(parts_.graph()), choices.pinned);
    }
    parts_.applied = stashscope::select_plans(found, parts_.config, parts_.pinned);
    const auto& chosen = parts_.choices.order.strategy;
    parts_.order = chosen || has_sequence ? chosen : OrderChoices().strategy;
  }

  void make_current() {
    if (parts_.graph().data().captured) return keep_as_captured();
    const Study* const same_step =
        has_same_baseline_ && previous_->choices.plans == parts_.choices.plans ? previous_
                                                                               : nullptr;
    const bool is_same =
        same_step != nullptr && same_step->choices.order == parts_.choices.order &&
        same_step->choices.fusion == parts_.choices.fusion &&
        (!parts_.choices.plans.overlaps_copies || same_step->choices.times == parts_.choices.times);
    if (!is_same) return make_current(sequenced_step(), same_step);
    parts_.ordered = same_step->ordered;
    parts_.moves_left_out = same_step->moves_left_out;
    parts_.current = same_step->current;
  }

  /// Sets the current variant of a captured step. Without plans, its order is the order in which
  /// PyTorch ran the step. With plans, its order is the order in which PyTorch would run the step
  /// with these plans.
  void keep_as_captured() {
    const OrderStrategy& file = order_strategies()[0];
    parts_.order = std::string(file.name);
    OrderRow row{std::string(file.name), std::string(file.description), {}, {}, {}, {}};
    parts_.moves_left_out.assign(parts_.choices.order.moves.size(), captured_order);
    const bool is_same = has_same_baseline_ && previous_->applied == parts_.applied;
    parts_.current = is_same ? previous_->current : with_applied_regions();
    row.peak_bytes = parts_.current->timeline.peak_bytes;
    parts_.ordered = std::make_shared<const OrderedStep>(
        OrderedStep{parts_.current->timeline.order, {std::move(row)}});
  }

  std::shared_ptr<const Variant> with_applied_regions() const {
    if (parts_.applied.empty()) return parts_.baseline;
    const PreparedStep& prepared = *parts_.prepared;
    Dataflow dataflow =
        apply_plans(parts_.graph(), prepared.ops, *parts_.opportunities, parts_.applied);
    const OrderInput input = order_input(prepared, *parts_.sizes, update_, dataflow);
    Timeline timeline = make_timeline(dataflow, input.memory, dataflow.fixed->order);
    return make_variant(prepared, *parts_.sizes, std::move(dataflow), std::move(timeline));
  }

  /// The dataflow of the current step. The order is set only for a planned sequence.
  SequencedStep sequenced_step() const {
    const PreparedStep& prepared = *parts_.prepared;
    if (!is_planned(parts_)) {
      return {apply_plans(parts_.graph(), prepared.ops, *parts_.opportunities, parts_.applied), {}};
    }
    const Sizes& sizes = *parts_.sizes;
    return planned_step(prepared, {prepared.rules, sizes.bytes, update_, sizes.workspace},
                        *parts_.choices.plans.sequence);
  }

  /// @param same a study of the same step, in any order and with any groups; may be null
  void make_current(SequencedStep sequenced, const Study* same) {
    const PreparedStep& prepared = *parts_.prepared;
    const OrderInput step =
        order_input(prepared, *parts_.sizes, update_, sequenced.dataflow, progress_);
    FusedGroups groups = groups_in(step, same);
    const bool has_same_groups = same != nullptr && groups == same->current->groups;
    if (has_same_groups && same->order == parts_.order) {
      parts_.ordered = same->ordered;
    } else {
      const auto known = has_same_groups ? same->ordered->rows : std::vector<OrderRow>();
      parts_.ordered = std::make_shared<const OrderedStep>(
          in_chosen_order(step, groups, parts_.order, known, sequenced.order));
    }
    MovedOrder moved = with_moves(parts_.graph(), step.dataflow, groups, parts_.ordered->nodes,
                                  parts_.choices.order.moves);
    parts_.moves_left_out = std::move(moved.left_out);
    OverlappedStep placed{timeline_in(step, std::move(moved.nodes), groups), {}};
    if (has_overlap(parts_.choices, step.dataflow)) {
      const NodeTimes times = predicted_times(parts_);
      placed = overlapped(step, placed.timeline, groups,
                          {parts_.sizes->bytes, times, copy_rates(parts_)});
    }
    parts_.current =
        make_variant(prepared, *parts_.sizes, std::move(sequenced.dataflow),
                     std::move(placed.timeline), std::move(groups), std::move(placed.copies));
  }

  FusedGroups groups_in(const OrderInput& step, const Study* same) const {
    const FusionChoice& fusion = parts_.choices.fusion;
    const bool is_same =
        same != nullptr && same->choices.fusion == fusion && same->order == parts_.order;
    return is_same ? same->current->groups : chosen_groups(step, parts_.order, fusion);
  }

  void make_plan_table() {
    const bool has_same_effects = has_same_baseline_ &&
                                  previous_->opportunities == parts_.opportunities &&
                                  previous_->times == parts_.times;
    PlanTable table = has_same_effects ? *previous_->plan_table : unmarked_plan_table(parts_);
    for (auto* const rows : {&table.plans, &table.extensions}) {
      mark_chosen(parts_.config, parts_.applied, *rows);
    }
    parts_.plan_table = std::make_shared<const PlanTable>(std::move(table));
  }

  const Study* previous_;  ///< null if no study was given or its graph differs
  const Progress& progress_;
  StudyParts parts_;
  UpdateMemory update_;
  bool has_same_sizes_ = false;
  bool has_same_baseline_ = false;
};

}  // namespace

std::shared_ptr<const Study> compute_study(std::shared_ptr<const Graph> model,
                                           const Choices& choices, const Study* previous,
                                           const Progress& progress) {
  return StudyBuilder(std::move(model), choices, previous, progress).build();
}

}  // namespace stashscope
