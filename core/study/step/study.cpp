#include "core/study/step/study.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/training_step.h"
#include "core/study/choices/effective_plans.h"
#include "core/study/choices/node_names.h"
#include "core/study/choices/same_dims.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/moved_order.h"
#include "core/study/step/plan_effects.h"
#include "core/study/step/planned_step.h"
#include "core/study/step/sizes.h"
#include "core/study/step/variants.h"

namespace stashscope {

namespace {

std::shared_ptr<const PreparedStep> prepare(const Graph& model, const Choices& choices) {
  auto prepared = std::make_shared<PreparedStep>();
  prepared->step = prepare_training_step(with_same_dims(model, choices.same_dims), choices.goal,
                                         pass_selection(choices));
  const Graph& graph = *prepared->step.graph;
  prepared->ops = resolve_ops(graph);
  std::vector<ValueId> parameters;
  std::vector<ValueId> gradients;
  for (const Parameter& each : prepared->step.parameters) {
    parameters.push_back(each.value);
    gradients.push_back(each.gradient);
  }
  prepared->rules = buffer_rules(graph, prepared->ops, parameters, gradients);
  return prepared;
}

/// Sizes that only the chosen dimensions make too large are no fault of the model.
std::shared_ptr<const Sizes> measure_chosen(const PreparedStep& prepared, const Choices& choices) {
  try {
    return sizes_under(prepared, choices);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::input || choices.dims.empty()) throw;
    Choices assumed = choices;
    assumed.dims.clear();
    sizes_under(prepared, assumed);
    throw Error(ErrorKind::usage, error.where(), error.reason(), "choose smaller dimensions");
  }
}

/// A cluster that the model does not have is most likely a typing error.
void check_clusters(const Opportunities& opportunities, const RecomputeConfig& config,
                    const Graph& graph, std::vector<std::string>& warnings) {
  for (const auto& [cluster, choice] : config) {
    bool any = false;
    bool type_fits = choice.type == PlanType::none;
    for (const auto* plans : {&opportunities.plans, &opportunities.extensions}) {
      for (const NodePlan& plan : *plans) {
        any = any || plan.cluster == cluster;
        type_fits = type_fits || (plan.cluster == cluster && plan.type == choice.type);
      }
    }
    if (!any) {
      warnings.push_back("plan '" + printable(cluster) + "' fits nothing in the model '" +
                         printable(graph.data().name) + "' at this probe level");
    } else if (!type_fits) {
      warnings.push_back("plan '" + printable(cluster) + "' has no option of type " +
                         std::to_string(static_cast<int>(choice.type)));
    }
  }
}

/// Choices of where to look for plans that change nothing.
void warn_of_probe(Study& study) {
  const Choices& choices = study.choices;
  if (choices.level > 0 && choices.recompute_search.level == 0) {
    study.warnings.push_back("level " + std::to_string(choices.level) +
                             " looks for plans at probe " +
                             to_string(effective_search_options(choices)) + "; the chosen probe " +
                             to_string(choices.recompute_search) + " has no effect");
  }
  const auto& nodes = study.graph().nodes();
  for (const std::string& type : choices.recompute_search.also_recomputable) {
    const bool any = std::any_of(nodes.begin(), nodes.end(),
                                 [&](const Node& node) { return node.op_type == type; });
    if (!any) {
      study.warnings.push_back("recomputable operator '" + printable(type) +
                               "' fits no node of the model");
    }
  }
}

/// Entries that are on but carried out nowhere, because other plans of the same tensors win or
/// their nodes are kept.
void warn_of_rivals(Study& study) {
  const PlanCounts applied = count_plans(study.applied);
  for (const auto& [cluster, choice] : study.config) {
    if (choice.count == 0 || applied.contains({cluster, choice.type})) continue;
    const std::vector<const NodePlan*> plans = plans_of(*study.opportunities, cluster, choice.type);
    if (plans.empty()) continue;
    const bool any_kept = std::ranges::any_of(
        plans, [&](const NodePlan* each) { return is_pinned(study.pinned, each->node); });
    study.warnings.push_back(
        "plan '" + printable(to_string(cluster, choice)) + "' is on but changes nothing: " +
        (any_kept ? "nodes keep their outputs" : "other plans for the same tensors win"));
  }
}

/// A choice that changes nothing is most likely a misunderstanding.
void warn_of_update(Study& study) {
  const UpdateChoice& update = study.choices.update;
  const Optimizer& optimizer = find_optimizer(update.optimizer);
  const auto& buffers = study.baseline->timeline.buffers;
  const auto has_state = [&](auto is_wanted) {
    return std::any_of(buffers.begin(), buffers.end(),
                       [&](const Buffer& each) { return each.state && is_wanted(*each.state); });
  };
  if (!optimizer.states.empty() && !has_state([](const OptimizerState&) { return true; })) {
    study.warnings.push_back("no parameter receives a gradient: the optimizer keeps no states");
  }
  if (update.master_weights &&
      !has_state([](const OptimizerState& each) { return each.name == master_weight; })) {
    study.warnings.push_back(
        optimizer.updates
            ? "no trained parameter is float16 or bfloat16: no master weights are kept"
            : "master weights are kept by an optimizer only; choose one with --optimizer NAME");
  }
  if (update.release_gradients && study.baseline->timeline.released_outputs.empty()) {
    study.warnings.push_back("there are no gradients of parameters that could be released");
  }
}

/// How to give a value to sizes that depend on data and have no bound.
std::string hint_for_unknown_sizes(const Study& study) {
  std::vector<std::string> names;
  for (const DataDependentDim& each : study.graph().data().data_dependent) {
    if (study.sizes->dims.bindings[each.symbol]) continue;
    names.push_back("'" + printable(study.graph().symbols().name(each.symbol), 60) + "'");
  }
  if (names.size() > 4) names.resize(4);
  return names.empty() ? "" : "; --dim gives a value to " + join(names, ", ");
}

/// Names of nodes that are not there are most likely typing errors.
void warn_of_fusion(Study& study) {
  const FusionChoice& fusion = study.choices.fusion;
  if (fusion.strategy != "none" && study.order == planned_order) {
    study.warnings.emplace_back("a planned order keeps no groups together: no nodes are fused");
  }
  if (fusion.strategy == "none" && !(fusion.alone.empty() && fusion.apart.empty())) {
    study.warnings.push_back("no nodes are fused: what was said of groups changes nothing");
  }
  for (const std::string& name : unknown_nodes(study.graph(), study.current->dataflow, fusion)) {
    study.warnings.push_back("node '" + printable(name) +
                             "' of a split or forbidden merge is not " + "in the step");
  }
}

/// Names of nodes that are not there are most likely typing errors; a planned sequence knows
/// nothing of what was kept after it was planned.
void warn_of_kept(Study& study) {
  if (study.choices.pinned.empty()) return;
  const NodeNames names(study.graph());
  for (const std::string& name : study.choices.pinned) {
    if (names.find(name).valid()) continue;
    study.warnings.push_back("kept node '" + printable(name) + "' is not in the step");
  }
  if (!is_planned(study)) return;
  for (const auto& [node, more_runs] : repeated_nodes(study.choices.planned)) {
    if (!is_pinned(study.pinned, node)) continue;
    study.warnings.push_back("the planned sequence runs " +
                             describe(study.graph().node(node), node) +
                             " again, which is to keep its outputs; plan again with --budget");
  }
}

void collect_warnings(Study& study) {
  const auto add_all = [&](const std::vector<std::string>& list) {
    study.warnings.insert(study.warnings.end(), list.begin(), list.end());
  };
  add_all(study.graph().data().warnings);
  add_all(study.prepared->step.warnings);
  for (const Dimension& each : study.sizes->dims.dimensions) {
    if (!each.assumed) continue;
    if (!each.at_most.empty()) {
      study.warnings.push_back("dimension '" + printable(each.name) +
                               "' depends on the data: at most " + each.at_most + ", taken as " +
                               std::to_string(each.value));
      continue;
    }
    study.warnings.push_back("dimension '" + printable(each.name) + "' is assumed to be " +
                             std::to_string(each.value) + "; set it with --dim NAME=N");
  }
  if (!study.sizes->unknown.empty()) {
    study.warnings.push_back("the size of " + std::to_string(study.sizes->unknown.size()) +
                             " tensors is unknown and counts 0, the first is " +
                             describe(study.graph().value(study.sizes->unknown.front())) +
                             hint_for_unknown_sizes(study));
  }
  if (!study.prepared->step.boundary.known() && !study.prepared->step.parameters.empty()) {
    study.warnings.push_back(
        "nothing in the model tells where its backward pass begins: no recompute plans are "
        "listed");
  }
  warn_of_update(study);
  warn_of_probe(study);
  add_all(warnings_of_moves(study));
  warn_of_fusion(study);
  const RecomputeConfig chosen =
      without_operators(study.graph(), *study.opportunities, study.choices.plans);
  check_clusters(*study.opportunities, chosen, study.graph(), study.warnings);
  warn_of_kept(study);
  warn_of_rivals(study);
}

/// Nodes that the analysis counts as forward and backward.
void count_nodes(PreparedStep& prepared, const Opportunities& opportunities) {
  const auto nodes = static_cast<std::int64_t>(prepared.step.graph->nodes().size());
  const auto forward = static_cast<std::int64_t>(opportunities.forward_nodes);
  prepared.forward_nodes = forward > 0 ? forward : nodes;
  prepared.backward_nodes = nodes - prepared.forward_nodes;
}

class StudyBuilder {
 public:
  StudyBuilder(std::shared_ptr<const Graph> model, const Choices& choices, const Study* previous,
               const Progress& progress)
      : previous_(previous), progress_(progress), study_(std::make_shared<Study>()) {
    study_->model = std::move(model);
    study_->choices = choices;
    if (previous_ != nullptr && previous_->model != study_->model) previous_ = nullptr;
  }

  std::shared_ptr<const Study> build() {
    make_prepared();
    make_sizes();
    make_times();
    settle_planned();
    if (!is_planned_) {
      study_->config = config_in_force(study_->graph(), study_->choices, *study_->opportunities);
    }
    const std::set<std::string>& kept = study_->choices.pinned;
    if (!kept.empty()) study_->pinned = pinned_nodes(NodeNames(study_->graph()), kept);
    study_->applied = select_plans(*study_->opportunities, study_->config, study_->pinned);
    make_variants();
    progress_.update(0.9, "tables");
    make_plan_rows();
    make_cluster_rows();
    collect_warnings(*study_);
    return study_;
  }

 private:
  void make_plan_rows() {
    const Graph& graph = study_->graph();
    const Opportunities& found = *study_->opportunities;
    const Bindings& bindings = study_->sizes->dims.bindings;
    if (same_sizes_ && previous_->opportunities == study_->opportunities &&
        previous_->baseline == study_->baseline && previous_->times == study_->times) {
      study_->plans = previous_->plans;
      study_->extensions = previous_->extensions;
    } else {
      study_->plans = plan_table(graph, found, bindings);
      study_->extensions = extension_table(graph, found, bindings);
      add_plan_effects(*study_);
    }
    for (auto* const rows : {&study_->plans, &study_->extensions}) {
      mark_chosen(study_->config, study_->applied, *rows);
    }
  }

  void make_cluster_rows() {
    const Opportunities& found = *study_->opportunities;
    if (previous_ == nullptr || previous_->opportunities != study_->opportunities) {
      study_->clusters = cluster_table(study_->graph(), found, study_->config, study_->applied);
      return;
    }
    study_->clusters = previous_->clusters;
    mark_chosen(found, study_->config, study_->applied, study_->clusters);
  }

  void make_prepared() {
    progress_.update(0, "shapes and gradients");
    const Choices& choices = study_->choices;
    same_graph_ = previous_ != nullptr && same_graph(previous_->choices, choices);
    const RecomputeSearchOptions probe = effective_search_options(choices);
    if (same_graph_ && effective_search_options(previous_->choices) == probe) {
      study_->prepared = previous_->prepared;
      study_->opportunities = previous_->opportunities;
      return;
    }
    auto prepared = same_graph_ ? std::make_shared<PreparedStep>(*previous_->prepared)
                                : std::make_shared<PreparedStep>(*prepare(*study_->model, choices));
    progress_.update(0.5, "recompute opportunities");
    auto found = std::make_shared<Opportunities>(
        find_opportunities(*prepared->step.graph, prepared->ops, prepared->step.boundary, probe));
    count_nodes(*prepared, *found);
    prepared->fingerprint = fingerprint(*prepared->step.graph);
    study_->opportunities = std::move(found);
    study_->prepared = std::move(prepared);
  }

  void make_sizes() {
    progress_.update(0.6, "sizes");
    same_sizes_ = same_graph_ && previous_->choices.dims == study_->choices.dims;
    study_->sizes =
        same_sizes_ ? previous_->sizes : measure_chosen(*study_->prepared, study_->choices);
  }

  /// A sequence of another step is left out, and comes back with its step.
  void settle_planned() {
    const Choices& choices = study_->choices;
    is_planned_ = is_planned(*study_);
    if (!is_planned_ && !choices.planned.empty()) {
      study_->warnings.emplace_back(
          "the planned sequence is that of another step (passes or gradients differ) and is left "
          "out; plan again with --budget");
    }
    const bool has_order = choices.order != planned_order || is_planned_;
    study_->order = has_order ? choices.order : order_strategies()[0].name;
  }

  void make_times() {
    const DeviceProfile profile = profile_in_force(study_->choices);
    if (same_sizes_ && profile_in_force(previous_->choices) == profile) {
      study_->times = previous_->times;
      return;
    }
    StepTimes times;
    times.seconds =
        roofline_times(study_->graph(), study_->prepared->ops, study_->sizes->work, profile);
    study_->times = std::make_shared<const StepTimes>(std::move(times));
  }

  void make_variants() {
    progress_.update(0.7, "memory");
    const PreparedStep& prepared = *study_->prepared;
    const UpdateChoice& update = study_->choices.update;
    update_ = update_memory(study_->graph(), prepared.step.parameters, update);
    const bool same_baseline = same_sizes_ && previous_->choices.update == update;
    study_->baseline = same_baseline ? previous_->baseline : make_baseline();
    const bool same_step = same_baseline && previous_->config == study_->config &&
                           previous_->pinned == study_->pinned &&
                           previous_->opportunities == study_->opportunities &&
                           previous_->choices.planned == study_->choices.planned;
    make_current(sequenced_step(), same_step ? previous_ : nullptr);
  }

  /// With an order only where it is planned.
  SequencedStep sequenced_step() const {
    const PreparedStep& prepared = *study_->prepared;
    if (!is_planned_) {
      return {apply_plans(study_->graph(), prepared.ops, *study_->opportunities, study_->applied),
              {}};
    }
    const Sizes& sizes = *study_->sizes;
    return planned_step(prepared, {prepared.rules, sizes.bytes, update_, sizes.workspace},
                        study_->choices.planned);
  }

  /// @param same a study of the same step, in any order and with any groups; may be null
  void make_current(SequencedStep sequenced, const Study* same) {
    const PreparedStep& prepared = *study_->prepared;
    const std::string& order = study_->order;
    const OrderInput step =
        order_input(prepared, *study_->sizes, update_, sequenced.dataflow, progress_);
    const FusionChoice& fusion = study_->choices.fusion;
    const bool same_fusion = same != nullptr && same->choices.fusion == fusion;
    FusedGroups groups = same_fusion && same->order == order ? same->current->groups
                                                             : chosen_groups(step, order, fusion);
    const bool same_groups = same_fusion && groups == same->current->groups;
    if (same_groups && same->order == order) {
      study_->unmoved = same->unmoved;
      study_->orders = same->orders;
      std::erase_if(study_->orders, [](const OrderRow& row) { return row.name == moved_order; });
    } else {
      OrderedStep ordered =
          in_chosen_order(step, groups, order, same_groups ? same->orders : std::vector<OrderRow>(),
                          sequenced.order);
      study_->orders = std::move(ordered.rows);
      study_->unmoved = std::make_shared<const std::vector<NodeId>>(std::move(ordered.nodes));
    }
    Timeline timeline = moved_timeline(step, groups);
    study_->current = make_variant(prepared, *study_->sizes, std::move(sequenced.dataflow),
                                   std::move(timeline), std::move(groups));
  }

  Timeline moved_timeline(const OrderInput& step, const FusedGroups& groups) {
    MovedOrder moved =
        with_moves(study_->graph(), step.dataflow, groups, *study_->unmoved, study_->choices.moves);
    study_->moves_left_out = std::move(moved.left_out);
    Timeline timeline = timeline_in(step, std::move(moved.nodes), groups);
    if (is_moved(*study_)) {
      study_->orders.insert(study_->orders.begin(),
                            {moved_order, "as the user moved it", timeline.peak_bytes, {}, {}, {}});
    }
    return timeline;
  }

  std::shared_ptr<const Variant> make_baseline() const {
    const PreparedStep& prepared = *study_->prepared;
    Dataflow dataflow(study_->graph());
    const OrderInput input = order_input(prepared, *study_->sizes, update_, dataflow);
    Timeline timeline = make_timeline(dataflow, input.memory, order_strategies()[0].order(input));
    return make_variant(prepared, *study_->sizes, std::move(dataflow), std::move(timeline));
  }

  const Study* previous_;
  const Progress& progress_;
  std::shared_ptr<Study> study_;
  UpdateMemory update_;
  bool same_graph_ = false;
  bool same_sizes_ = false;
  bool is_planned_ = false;
};

}  // namespace

std::shared_ptr<const Study> compute_study(std::shared_ptr<const Graph> model,
                                           const Choices& choices, const Study* previous,
                                           const Progress& progress) {
  return StudyBuilder(std::move(model), choices, previous, progress).build();
}

double extra_flops(const Study& study) { return study.current->flops - study.baseline->flops; }

double extra_percent(const Study& study) {
  return study.baseline->flops == 0 ? 0 : 100 * extra_flops(study) / study.baseline->flops;
}

double step_seconds(const Study& study, const Variant& variant) {
  const NodeTimes& own = study.times->seconds;
  return std::accumulate(own.begin(), own.end(), added_seconds(study, variant.dataflow));
}

double extra_seconds(const Study& study) { return added_seconds(study, study.current->dataflow); }

double extra_seconds_percent(const Study& study) {
  const double before = step_seconds(study, *study.baseline);
  return before == 0 ? 0 : 100 * extra_seconds(study) / before;
}

std::shared_ptr<const Study> with_measured_times(const Study& study,
                                                 const std::optional<Measurement>& baseline,
                                                 const Measurement& current) {
  auto timed = std::make_shared<Study>(study);
  auto times = std::make_shared<StepTimes>(*study.times);
  MeasuredTimes runs(times->seconds.size());
  if (baseline)
    runs.add(study.baseline->dataflow, study.baseline->timeline.order, baseline->node_seconds);
  // Of a group only the time of all members together is known.
  if (study.current->groups.empty()) {
    runs.add(study.current->dataflow, study.current->timeline.order, current.node_seconds);
  }
  times->measured = runs.replace(times->seconds);
  times->measured_on = times->measured > 0 ? current.device : "";
  timed->times = std::move(times);
  add_plan_effects(*timed);
  return timed;
}

double transfer_seconds(const Study& study, const Variant& variant) {
  return copy_rates(study).transfer_seconds(static_cast<double>(variant.transfer_bytes));
}

std::vector<MemoryPhase> memory_phases(const Variant& variant) {
  const Timeline& timeline = variant.timeline;
  return memory_phases(timeline.live_bytes, timeline.idle_bytes, variant.forward_slots);
}

BandBytes peak_bands(const Variant& variant) {
  return variant.bands.empty() ? BandBytes{} : variant.bands[variant.timeline.peak_slot];
}

std::string peak_node(const Study& study, const Variant& variant) {
  const Timeline& timeline = variant.timeline;
  if (timeline.order.empty()) return "";
  return name_of(study.graph(), variant.dataflow, timeline.order[timeline.peak_slot]);
}

std::string peak_symbolic(const Study& study, const Variant& variant) {
  try {
    const Expr bytes = symbolic_bytes(study.graph(), variant.dataflow, variant.timeline,
                                      variant.timeline.peak_slot);
    return to_string(bytes, study.graph().symbols());
  } catch (const ExpressionTooLarge&) {
    return "";
  }
}

}  // namespace stashscope
