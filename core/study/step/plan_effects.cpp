#include "core/study/step/plan_effects.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/graph/micro_batches.h"
#include "core/planner/copy_overlap.h"
#include "core/recompute/regions.h"

namespace stashscope {

namespace {

struct Effect {
  std::int64_t bytes_at_peak = 0;
  PlanCost cost;
};

/// The effects of plans, by cluster and plan type as in config strings.
using Effects = std::map<std::pair<std::string, PlanType>, Effect>;

Effects effects_of(const std::vector<NodePlan>& plans, const PlanCostInput& input,
                   const Timeline& baseline) {
  Effects effects;
  for (const NodePlan& plan : plans) {
    Effect& effect = effects[{plan.cluster, plan.type}];
    effect.bytes_at_peak += bytes_at_peak(input.graph, baseline, plan);
    effect.cost += strategy_of(plan.type).cost(plan, input);
  }
  return effects;
}

void set_effects(const Effects& effects, PlanRow& row) {
  row.bytes_at_peak = 0;
  row.cost = {};
  for (const auto& [cluster, choice] : row.entries) {
    const auto found = effects.find({cluster, choice.type});
    if (found == effects.end()) continue;
    row.bytes_at_peak += found->second.bytes_at_peak;
    row.cost += found->second.cost;
  }
}

double node_seconds(const TimingBasis& basis, const Dataflow& dataflow, NodeId node) {
  if (dataflow.runs_origin(node)) return basis.seconds[dataflow.origin(node)];
  if (dataflow.kind(node) == AddedKind::generator_state) return 0;
  const double bytes = added_bytes(basis.bytes, dataflow, node);
  return is_copy(dataflow, node) ? basis.rates.transfer_seconds(bytes)
                                 : basis.rates.kernel_seconds(bytes);
}

/// The bytes of the region's kept outputs that are live at the peak with the region, but not
/// without the region.
std::int64_t held_at_peak(const Timeline& timeline, const Region& region) {
  std::int64_t bytes = 0;
  for (const ValueId value : region.held) {
    const BufferId id = timeline.buffer_of[value];
    if (!id.valid()) continue;
    const Buffer& buffer = timeline.buffers[id];
    if (buffer.last_slot < timeline.peak_slot) bytes += buffer.bytes;
  }
  return bytes;
}

/// Seconds of each slot of a variant whose copies overlap.
std::vector<double> overlapped_seconds(const TimingBasis& basis, const Variant& variant) {
  return overlapped_slot_seconds(variant.dataflow, variant.timeline.order, variant.copies,
                                 seconds_by_node(basis, variant.dataflow));
}

}  // namespace

PlanCostInput plan_cost_input(const StudyParts& study) {
  return {study.graph(), study.sizes->work.flops, study.times->seconds, study.sizes->bytes,
          copy_rates(study)};
}

std::int64_t bytes_at_peak(const Graph& graph, const Timeline& timeline, const NodePlan& plan) {
  Rational bytes;
  for (const ValueId value : freed_values(graph, plan)) {
    const BufferId id = timeline.buffer_of[value];
    if (!id.valid()) continue;
    const Buffer& buffer = timeline.buffers[id];
    const bool alive = is_alive(buffer, timeline.peak_slot);
    if (alive) bytes = bytes + plan.save_ratio * Rational(buffer.bytes);
  }
  return bytes.floor() - (plan.region ? held_at_peak(timeline, *plan.region) : 0);
}

PlanTable unmarked_plan_table(const StudyParts& study) {
  const Opportunities& found = *study.opportunities;
  const Bindings& bindings = study.sizes->dims.bindings;
  return with_effects(study, {plan_table(study.graph(), found, bindings),
                              extension_table(study.graph(), found, bindings)});
}

PlanTable with_effects(const StudyParts& study, PlanTable table) {
  const PlanCostInput input = plan_cost_input(study);
  const Timeline& baseline = study.baseline->timeline;
  Effects effects = effects_of(study.opportunities->plans, input, baseline);
  effects.merge(effects_of(study.opportunities->extensions, input, baseline));
  for (auto* const rows : {&table.plans, &table.extensions}) {
    for (PlanRow& row : *rows) set_effects(effects, row);
  }
  return table;
}

double added_bytes(const IdVector<ValueId, std::int64_t>& bytes_of, const Dataflow& dataflow,
                   NodeId node) {
  const ValueId made = dataflow.topology.outputs[node][0];
  const AddedKind kind = dataflow.kind(node);
  if (kind == AddedKind::generator_state) return 0;
  const auto bytes = static_cast<double>(bytes_of[dataflow.origin(made)]);
  if (is_copy(dataflow, node)) return bytes;
  const ValueId narrow = kind == AddedKind::compress ? made : dataflow.topology.inputs[node][0];
  return bytes * (1 + dataflow.form(narrow).share.to_double());
}

PlanCost added_cost(const Graph& graph, const Sizes& sizes, const Dataflow& dataflow) {
  PlanCost cost;
  for (std::size_t i = 0; i < dataflow.cloned_nodes.size(); ++i) {
    const NodeId node(dataflow.graph_nodes + i);
    if (dataflow.runs_origin(node)) {
      cost.flops += sizes.work.flops[dataflow.origin(node)];
      continue;
    }
    const ValueId tensor = dataflow.origin(dataflow.topology.outputs[node][0]);
    const AddedKind kind = dataflow.kind(node);
    if (kind == AddedKind::generator_state) continue;
    if (is_copy(dataflow, node)) {
      cost.transfer_bytes += runs_in_step(graph) * sizes.bytes[tensor];
    } else {
      const int bits = bits_per_element(graph.value(tensor).type.element);
      cost.flops += sizes.work.runs * 8 * static_cast<double>(sizes.bytes[tensor]) / bits;
    }
  }
  return cost;
}

NodeTimes profile_times(const StudyParts& study, const Sizes& sizes) {
  return roofline_times(study.graph(), study.prepared->ops, sizes.work,
                        profile_in_force(study.choices.times));
}

TimingBasis timing_basis(const Study& study) {
  return {study.sizes->bytes, study.times->seconds, copy_rates(study)};
}

double added_seconds(const TimingBasis& basis, const Dataflow& dataflow) {
  double seconds = 0;
  for (std::size_t i = 0; i < dataflow.cloned_nodes.size(); ++i) {
    seconds += node_seconds(basis, dataflow, NodeId(dataflow.graph_nodes + i));
  }
  return seconds;
}

double added_seconds(const Study& study, const Dataflow& dataflow) {
  return added_seconds(timing_basis(study), dataflow);
}

double overlapped_extra_seconds(const TimingBasis& basis, const Dataflow& dataflow,
                                std::span<const NodeId> order, const CopySchedule& copies) {
  const NodeTimes seconds = seconds_by_node(basis, dataflow);
  double added = 0;
  for (std::size_t i = dataflow.graph_nodes; i < seconds.size(); ++i) {
    if (!is_copy(dataflow, NodeId(i))) added += seconds[NodeId(i)];
  }
  return added + waiting_seconds(dataflow, order, copies, seconds);
}

double extra_seconds(const TimingBasis& basis, const Variant& variant) {
  if (variant.copies.empty()) return added_seconds(basis, variant.dataflow);
  return overlapped_extra_seconds(basis, variant.dataflow, variant.timeline.order, variant.copies);
}

double step_seconds(const TimingBasis& basis, const Variant& variant) {
  return std::accumulate(basis.seconds.begin(), basis.seconds.end(), extra_seconds(basis, variant));
}

std::vector<double> seconds_by_step(const Study& study, const Variant& variant,
                                    const NodeTimes& times) {
  const TimingBasis basis{study.sizes->bytes, times, copy_rates(study)};
  if (!variant.copies.empty()) return overlapped_seconds(basis, variant);
  std::vector<double> seconds;
  seconds.reserve(variant.timeline.order.size());
  for (const NodeId node : variant.timeline.order) {
    seconds.push_back(node_seconds(basis, variant.dataflow, node));
  }
  return seconds;
}

NodeTimes seconds_by_node(const Study& study, const Dataflow& dataflow) {
  return seconds_by_node(timing_basis(study), dataflow);
}

NodeTimes seconds_by_node(const TimingBasis& basis, const Dataflow& dataflow) {
  NodeTimes seconds(dataflow.topology.nodes());
  for (const NodeId node : IdRange<NodeId>(seconds.size())) {
    seconds[node] = node_seconds(basis, dataflow, node);
  }
  return seconds;
}

CopyRates copy_rates(const StudyParts& study) {
  const DeviceProfile profile = profile_in_force(study.choices.times);
  return {profile.link_bandwidth, memory_bandwidth(profile), profile.launch_seconds,
          runs_in_step(study.graph())};
}

std::vector<UnplannedTensor> unplanned_tensors(const Study& study) {
  std::vector<UnplannedTensor> tensors;
  for (const Obstacle& obstacle : study.opportunities->obstacles) {
    for (const ValueId output : study.graph().topology().outputs[obstacle.entry]) {
      if (!study.opportunities->is_stashed[output]) continue;
      tensors.push_back({output, study.sizes->bytes[output], obstacle.stopped_at, obstacle.rule});
    }
  }
  std::stable_sort(
      tensors.begin(), tensors.end(),
      [](const UnplannedTensor& a, const UnplannedTensor& b) { return a.bytes > b.bytes; });
  return tensors;
}

}  // namespace stashscope
