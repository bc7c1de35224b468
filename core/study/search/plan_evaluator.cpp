#include "core/study/search/plan_evaluator.h"

#include <algorithm>

#include "core/memory/step_peak.h"
#include "core/planner/copy_overlap.h"
#include "core/study/choices/effective_update.h"
#include "core/study/step/fusion_table.h"
#include "core/study/step/later_steps.h"
#include "core/study/step/overlapped_step.h"
#include "core/study/step/plan_effects.h"
#include "core/study/step/variants.h"

namespace stashscope {

namespace {

/// The study's order strategy, or the default strategy if the study's order is searched or planned.
std::string order_by_rule(const Study& study) {
  const bool is_there = study.order && !is_order_searched(study);
  return is_there ? *study.order : std::string(order_strategies()[0].name);
}

Dataflow dataflow_of(const Study& study, const RecomputeConfig& config) {
  const Opportunities& found = *study.opportunities;
  return apply_plans(study.graph(), study.prepared->ops, found,
                     select_plans(found, config, study.pinned));
}

Timeline timeline_of(const OrderInput& step, const OrderStrategy& order,
                     const FusedGroups& groups) {
  if (step.dataflow.fixed)
    return make_timeline(step.dataflow, step.memory, step.dataflow.fixed->order);
  return timeline_in(step, order, groups);
}

}  // namespace

bool is_order_searched(const Study& study) {
  return study.order && find_order(*study.order).kind == OrderKind::search;
}

Choices without_search(const Study& study, Choices choices) {
  if (is_order_searched(study)) choices.order.strategy = order_by_rule(study);
  return choices;
}

Choices in_order_for_host(const Study& study, Choices choices) {
  const bool is_limited = study.choices.times.host_memory.has_value();
  if (!is_limited || offloads_in(choices.plans.config).empty()) return choices;
  return without_search(study, std::move(choices));
}

PlanEvaluator::PlanEvaluator(const Study& study, PeakOf peak_of, CopyTimes copies)
    : study_(study),
      peak_of_(peak_of),
      copies_(copies),
      update_(update_memory(study.graph(), study.prepared->step.parameters,
                            effective_update(study.graph(), study.choices.update))),
      order_(order_by_rule(study)),
      predicted_(study.choices.plans.overlaps_copies ? predicted_times(study) : NodeTimes()) {}

PlanOutcome PlanEvaluator::evaluate(const RecomputeConfig& config) const {
  const Dataflow dataflow = dataflow_of(study_, config);
  const OrderInput step = order_input(*study_.prepared, *study_.sizes, update_, dataflow);
  const OrderStrategy& order = find_order(order_);
  if (study_.graph().data().captured) {
    const Timeline timeline = timeline_of(step, order, {});
    const std::int64_t peak = peak_of_ == PeakOf::step
                                  ? timeline.peak_bytes
                                  : later_steps(study_.prepared->rules, timeline).peak_bytes;
    return {peak, added_seconds(study_, dataflow)};
  }
  const FusedGroups groups = chosen_groups(step, order_, study_.choices.fusion);
  const bool is_chosen = copies_ == CopyTimes::as_chosen;
  if (is_chosen && has_overlap(study_.choices, dataflow)) return with_overlap(step, order, groups);
  const auto outcome = [&](std::int64_t peak, const std::vector<NodeId>& nodes) -> PlanOutcome {
    return {peak, added_seconds(study_, dataflow),
            host_peak_bytes(dataflow, study_.sizes->bytes, nodes, {})};
  };
  if (groups.empty()) {
    const std::vector<NodeId> nodes = order.order(step);
    return outcome(peak_of(dataflow, step.memory, nodes), nodes);
  }
  const Timeline timeline = timeline_in(step, order, groups);
  return outcome(timeline.peak_bytes, timeline.order);
}

PlanOutcome PlanEvaluator::with_overlap(const OrderInput& step, const OrderStrategy& order,
                                        const FusedGroups& groups) const {
  const CopyRates rates = copy_rates(study_);
  const Timeline serial = timeline_in(step, order, groups);
  const OverlappedOrder found =
      overlap_copies(step.dataflow, serial, groups,
                     seconds_by_node({study_.sizes->bytes, predicted_, rates}, step.dataflow));
  return {serial.peak_bytes,
          overlapped_extra_seconds(timing_basis(study_), step.dataflow, found.order, found.copies),
          host_peak_bytes(step.dataflow, study_.sizes->bytes, found.order, found.copies)};
}

NodeId PlanEvaluator::peak_node(const RecomputeConfig& config) const {
  const Dataflow dataflow = dataflow_of(study_, config);
  const Timeline found = timeline(config);
  for (std::size_t slot = found.peak_slot; slot < found.order.size(); ++slot) {
    if (!dataflow.is_clone(found.order[slot])) return found.order[slot];
  }
  return dataflow.origin(found.order.back());
}

Timeline PlanEvaluator::timeline(const RecomputeConfig& config) const {
  const Dataflow dataflow = dataflow_of(study_, config);
  const OrderInput step = order_input(*study_.prepared, *study_.sizes, update_, dataflow);
  if (study_.graph().data().captured) return timeline_of(step, find_order(order_), {});
  const FusedGroups groups = chosen_groups(step, order_, study_.choices.fusion);
  return timeline_in(step, find_order(order_), groups);
}

}  // namespace stashscope
