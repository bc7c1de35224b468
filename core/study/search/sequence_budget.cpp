#include "core/study/search/sequence_budget.h"

#include <algorithm>

#include "core/memory/step_peak.h"
#include "core/planner/peak_lower_bound.h"
#include "core/schedule/tasks/run_sequence.h"
#include "core/study/step/plan_effects.h"
#include "core/study/step/variants.h"

namespace stashscope {

namespace {

/// The tasks in the order of their first runs.
std::vector<TaskId> first_runs(const TaskGraph& graph, const std::vector<TaskId>& sequence) {
  IdVector<TaskId, bool> has_run(graph.tasks(), false);
  std::vector<TaskId> order;
  for (const TaskId task : sequence) {
    if (!has_run[task]) order.push_back(task);
    has_run[task] = true;
  }
  return order;
}

bool runs_at_most(const TaskGraph& graph, const std::vector<TaskId>& sequence, int most) {
  IdVector<TaskId, int> runs(graph.tasks(), 0);
  return std::ranges::all_of(sequence, [&](TaskId task) { return ++runs[task] <= most; });
}

bool is_valid(const TaskGraph& graph, const std::vector<TaskId>& sequence) {
  IdVector<TaskId, std::uint32_t> runs(graph.tasks(), 0);
  for (const TaskId task : sequence) {
    if (++runs[task] > graph.most_runs[task] || runs[task] > Runs::most) return false;
  }
  try {
    memory_of(graph, sequence);
  } catch (const Error&) {
    return false;
  }
  return true;
}

bool is_better(const BudgetedSequence& a, const BudgetedSequence& b) {
  if (a.feasible != b.feasible) return a.feasible;
  return a.feasible ? a.cost < b.cost : a.peak_bytes < b.peak_bytes;
}

constexpr std::uint32_t runs_at_node_grain = 2;

/// Limits pinned nodes to one run.
void run_pinned_once(const PinnedNodes& pinned, StepTasks& tasks) {
  for (const TaskId task : IdRange<TaskId>(tasks.graph.tasks())) {
    if (is_pinned(pinned, tasks.node_of[task])) tasks.graph.most_runs[task] = 1;
  }
}

double seconds_of(std::int64_t cost) { return static_cast<double>(cost) / picoseconds_per_second; }

}  // namespace

SequenceProblem::SequenceProblem(const Study& study, const Progress& progress)
    : study_(study),
      update_(update_memory(study.graph(), study.prepared->step.parameters, study.choices.update)),
      tasks_(planning_tasks(*study.prepared, memory(), Dataflow(study.graph()),
                            study.times->seconds)) {
  const Dataflow bare(study.graph());
  const OrderInput step = order_input(*study.prepared, *study.sizes, update_, bare, progress);
  starts_.push_back(chosen_order(step));
  for (const OrderStrategy& strategy : order_strategies()) {
    if (strategy.kind == OrderKind::rule) starts_.push_back(tasks_.tasks(strategy.order(step)));
  }
  // Pinned nodes are limited last, because a planned sequence in `starts_` may run them again.
  run_pinned_once(study.pinned, tasks_);
}

std::vector<TaskId> SequenceProblem::chosen_order(const OrderInput& step) const {
  const Variant& current = *study_.current;
  const bool is_found = current.dataflow.cloned_nodes.empty() && current.groups.empty();
  if (is_found) return tasks_.tasks(current.timeline.order);
  if (study_.order) return tasks_.tasks(find_order(*study_.order).order(step));
  return first_runs(tasks_.graph, stashscope::sequence_of(tasks_, *study_.choices.plans.sequence));
}

StepMemory SequenceProblem::memory() const {
  return {study_.prepared->rules, study_.sizes->bytes, update_, study_.sizes->workspace};
}

BudgetedSequence SequenceProblem::search(const BudgetRequest& request, const Progress& progress,
                                         const BetterSequence& on_better) const {
  return request.grain == PlanGranularity::node
             ? search_nodes(request.budget_bytes, request.limit, progress, on_better)
             : search_freely(request.budget_bytes, request.limit, progress, on_better);
}

BudgetedSequence SequenceProblem::search_nodes(std::int64_t budget_bytes, const SearchLimit& limit,
                                               const Progress& progress,
                                               const BetterSequence& on_better) const {
  TaskGraph once_more = tasks_.graph;
  for (std::uint32_t& most : once_more.most_runs) most = std::min(most, runs_at_node_grain);
  return plan_sequence(once_more, {starts_[0]}, budget_bytes, {true}, limit, progress, on_better)
      .found;
}

/// First searches which nodes to repeat in the chosen order, because this finds good repeats
/// quickly. Then searches orders and repeats together, starting from all known orders.
BudgetedSequence SequenceProblem::search_freely(std::int64_t budget_bytes, const SearchLimit& limit,
                                                const Progress& progress,
                                                const BetterSequence& on_better) const {
  const SearchClock clock(limit, progress);
  const SearchLimit part = share_of(limit, 0.4);
  BudgetedSequence best = search_nodes(budget_bytes, part, progress, on_better);
  if (best.feasible && best.cost == cost_of_all(tasks_.graph)) return best;
  const auto take = [&](BudgetedSequence found) {
    const std::int64_t moves = best.moves + found.moves;
    if (is_better(found, best)) best = std::move(found);
    best.moves = moves;
  };
  take(search_recompute(tasks_.graph, best.sequence, budget_bytes, {}, part, progress, on_better));
  const SearchLimit rest = rest_of(limit, share_of(limit, 0.2), clock);
  take(plan_sequence(tasks_.graph, starts_, budget_bytes, {}, rest, progress, on_better).found);
  return best;
}

ParetoPoint SequenceProblem::point(std::span<const TaskId> sequence) const {
  ParetoPoint point{study_.choices, 0, 0};
  point.choices.plans.sequence = planned_sequence(*study_.prepared, tasks_, sequence);
  point.choices.order.strategy.reset();
  const SequencedStep step =
      sequence_dataflow(study_.graph(), study_.prepared->ops, tasks_, sequence);
  point.peak_bytes = peak_of(step.dataflow, memory(), step.order);
  std::int64_t cost = -cost_of_all(tasks_.graph);
  for (const TaskId task : sequence) cost += tasks_.graph.cost[task];
  point.extra_seconds = seconds_of(cost);
  return point;
}

std::optional<std::vector<TaskId>> SequenceProblem::sequence_of(const Variant& variant,
                                                                PlanGranularity grain) const {
  const Dataflow& dataflow = variant.dataflow;
  std::vector<TaskId> sequence;
  for (const NodeId node : variant.timeline.order) {
    if (!dataflow.runs_origin(node)) return std::nullopt;
    const TaskId task = tasks_.task_of[dataflow.origin(node)];
    if (task.valid()) sequence.push_back(task);
  }
  const bool is_of_grain = grain == PlanGranularity::sequence ||
                           (runs_at_most(tasks_.graph, sequence, runs_at_node_grain) &&
                            first_runs(tasks_.graph, sequence) == starts_[0]);
  if (!is_of_grain || !is_valid(tasks_.graph, sequence)) return std::nullopt;
  return sequence;
}

StepTasks SequenceProblem::tasks_below() const {
  StepTasks tasks = planning_tasks(*study_.prepared, memory(), Dataflow(study_.graph()),
                                   study_.times->seconds, Estimate::below);
  // Plans by cluster may repeat any forward node, even a node whose outputs leave the forward pass.
  // The bounds must hold for these plans, too.
  for (const TaskId task : IdRange<TaskId>(tasks.graph.tasks())) {
    const bool is_forward = study_.opportunities->is_forward(tasks.node_of[task]);
    if (is_forward) tasks.graph.most_runs[task] = unlimited_runs;
  }
  return tasks;
}

EvictionCosts SequenceProblem::eviction_costs(const std::vector<PlanType>& evictions,
                                              const StepTasks& tasks) const {
  EvictionCosts costs;
  if (!evictions.empty()) costs = EvictionCosts(tasks.graph.tasks());
  const PlanCostInput input = plan_cost_input(study_);
  for (const NodePlan& plan : study_.opportunities->extensions) {
    const TaskId task = tasks.task_of[plan.node];
    if (!task.valid() || std::ranges::find(evictions, plan.type) == evictions.end()) continue;
    // A copy that overlaps may cost no time.
    const bool is_hidden = plan.type == PlanType::offload && study_.choices.plans.overlaps_copies;
    const double seconds = is_hidden ? 0 : strategy_of(plan.type).cost(plan, input).seconds;
    constexpr double most = 0x1p60;  // fits 64 bits; no plan is that expensive
    const auto cost = static_cast<std::int64_t>(std::min(most, picoseconds_per_second * seconds));
    costs[task] = std::min(cost, costs[task].value_or(cost));
  }
  return costs;
}

double SequenceProblem::least_extra_seconds(std::int64_t budget_bytes, const SearchLimit& limit,
                                            const Progress& progress,
                                            const std::vector<PlanType>& evictions) const {
  const StepTasks below = tasks_below();
  const EvictionCosts costs = eviction_costs(evictions, below);
  // The orders only guide the search for a bound; a bound from any order is valid.
  std::int64_t bound = 0;
  for (std::size_t start = 0; start < 2; ++start) {
    bound = std::max(bound, recompute_cost_bound(below.graph, starts_[start], budget_bytes,
                                                 share_of(limit, 0.5), progress, costs));
  }
  return seconds_of(bound - cost_of_all(below.graph));
}

std::int64_t SequenceProblem::floor_with_evictions() const {
  const TaskGraph below = tasks_below().graph;
  std::int64_t at_end = below.persistent_bytes;
  for (const ItemId item : IdRange<ItemId>(below.items())) {
    if (below.kept[item]) at_end += below.bytes[item];
  }
  return std::max(at_end, largest_task_bytes(below));
}

StepPeakBound SequenceProblem::floor(const SearchLimit& limit, const Progress& progress) const {
  const StepTasks below = tasks_below();
  const PeakLowerBound floor = recompute_peak_lower_bound(below.graph, starts_[0], limit, progress);
  StepPeakBound answer{floor.bytes, below.graph.persistent_bytes, {}, {}};
  if (floor.task.valid()) answer.node = below.node_of[floor.task];
  for (const ItemId item : floor.items) {
    if (below.value_of[item].valid()) answer.tensors.push_back(below.value_of[item]);
  }
  std::ranges::stable_sort(answer.tensors, std::greater(),
                           [&](ValueId value) { return study_.sizes->bytes[value]; });
  return answer;
}

}  // namespace stashscope
