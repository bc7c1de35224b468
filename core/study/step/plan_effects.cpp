#include "core/study/step/plan_effects.h"

#include <algorithm>
#include <map>

namespace stashscope {

namespace {

struct Effect {
  std::int64_t bytes_at_peak = 0;
  PlanCost cost;
};

/// By what config strings call a cluster: its name and the plan's type.
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

double node_seconds(const Study& study, const CopyRates& rates, const NodeTimes& times,
                    const Dataflow& dataflow, NodeId node) {
  if (dataflow.runs_origin(node)) return times[dataflow.origin(node)];
  const double bytes = added_bytes(study, dataflow, node);
  return takes_the_link(dataflow.kind(node)) ? rates.transfer_seconds(bytes)
                                             : rates.kernel_seconds(bytes);
}

}  // namespace

PlanCostInput plan_cost_input(const Study& study) {
  return {study.graph(), study.sizes->work.flops, study.times->seconds, study.sizes->bytes,
          copy_rates(study)};
}

std::int64_t bytes_at_peak(const Graph& graph, const Timeline& timeline, const NodePlan& plan) {
  Rational bytes;
  for (const std::size_t output : plan.outputs) {
    const BufferId id = timeline.buffer_of[graph.node(plan.node).outputs[output]];
    if (plan.reused.contains(output) || !id.valid()) continue;
    const Buffer& buffer = timeline.buffers[id];
    const bool alive =
        buffer.first_slot <= timeline.peak_slot && timeline.peak_slot <= buffer.last_slot;
    if (alive) bytes = bytes + plan.save_ratio * Rational(buffer.bytes);
  }
  return bytes.floor();
}

void add_plan_effects(Study& study) {
  const PlanCostInput input = plan_cost_input(study);
  const Timeline& baseline = study.baseline->timeline;
  Effects effects = effects_of(study.opportunities->plans, input, baseline);
  effects.merge(effects_of(study.opportunities->extensions, input, baseline));
  for (auto* const rows : {&study.plans, &study.extensions}) {
    for (PlanRow& row : *rows) set_effects(effects, row);
  }
}

bool takes_the_link(AddedKind kind) {
  return kind == AddedKind::offload || kind == AddedKind::fetch;
}

double added_bytes(const Study& study, const Dataflow& dataflow, NodeId node) {
  const ValueId made = dataflow.topology.outputs[node][0];
  const AddedKind kind = dataflow.kind(node);
  const auto bytes = static_cast<double>(study.sizes->bytes[dataflow.origin(made)]);
  if (takes_the_link(kind)) return bytes;
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
    if (takes_the_link(kind)) {
      cost.transfer_bytes += sizes.bytes[tensor];
    } else {
      const int bits = bits_per_element(graph.value(tensor).type.element);
      cost.flops += 8 * static_cast<double>(sizes.bytes[tensor]) / bits;
    }
  }
  return cost;
}

double added_seconds(const Study& study, const Dataflow& dataflow) {
  const CopyRates rates = copy_rates(study);
  double seconds = 0;
  for (std::size_t i = 0; i < dataflow.cloned_nodes.size(); ++i) {
    seconds += node_seconds(study, rates, study.times->seconds, dataflow,
                            NodeId(dataflow.graph_nodes + i));
  }
  return seconds;
}

std::vector<double> seconds_by_step(const Study& study, const Variant& variant,
                                    const NodeTimes& times) {
  const CopyRates rates = copy_rates(study);
  std::vector<double> seconds;
  seconds.reserve(variant.timeline.order.size());
  for (const NodeId node : variant.timeline.order) {
    seconds.push_back(node_seconds(study, rates, times, variant.dataflow, node));
  }
  return seconds;
}

NodeTimes seconds_by_node(const Study& study, const Dataflow& dataflow) {
  const CopyRates rates = copy_rates(study);
  NodeTimes seconds(dataflow.topology.nodes());
  for (const NodeId node : IdRange<NodeId>(seconds.size())) {
    seconds[node] = node_seconds(study, rates, study.times->seconds, dataflow, node);
  }
  return seconds;
}

CopyRates copy_rates(const Study& study) {
  const DeviceProfile profile = profile_in_force(study.choices);
  return {profile.link_bandwidth, memory_bandwidth(profile), profile.launch_seconds};
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
