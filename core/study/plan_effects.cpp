#include "core/study/plan_effects.h"

#include <algorithm>
#include <map>

#include "core/recompute/strategy.h"

namespace stashscope {

namespace {

struct Effect {
  std::int64_t bytes_at_peak = 0;
  PlanCost cost;
};

/// By what config strings call a cluster: its name and the plan's type.
using Effects = std::map<std::pair<std::string, PlanType>, Effect>;

std::int64_t bytes_at_peak(const Graph& graph, const Timeline& timeline, const NodePlan& plan) {
  Rational bytes;
  for (const std::size_t output : plan.outputs) {
    const BufferId id = timeline.buffer_of[graph.node(plan.node).outputs[output]];
    if (plan.reused.contains(output) || !id.valid()) continue;
    const Buffer& buffer = timeline.buffers[id];
    const bool alive =
        buffer.first_step <= timeline.peak_step && timeline.peak_step <= buffer.last_step;
    if (alive) bytes = bytes + plan.save_ratio * Rational(buffer.bytes);
  }
  return bytes.floor();
}

Effects effects_of(const Graph& graph, const std::vector<NodePlan>& plans, const Sizes& sizes,
                   const Timeline& baseline) {
  Effects effects;
  for (const NodePlan& plan : plans) {
    Effect& effect = effects[{plan.cluster, plan.type}];
    effect.bytes_at_peak += bytes_at_peak(graph, baseline, plan);
    effect.cost += strategy_of(plan.type).cost(plan, {graph, sizes.node_flops, sizes.bytes});
  }
  return effects;
}

}  // namespace

void add_plan_effects(const Graph& graph, const Opportunities& opportunities, const Sizes& sizes,
                      const Timeline& baseline, std::vector<PlanRow>& rows) {
  Effects effects = effects_of(graph, opportunities.plans, sizes, baseline);
  effects.merge(effects_of(graph, opportunities.extensions, sizes, baseline));
  for (PlanRow& row : rows) {
    for (const auto& [cluster, choice] : row.entries) {
      const Effect& effect = effects[{cluster, choice.type}];
      row.bytes_at_peak += effect.bytes_at_peak;
      row.cost += effect.cost;
    }
  }
}

PlanCost added_cost(const Graph& graph, const Sizes& sizes, const Dataflow& dataflow) {
  PlanCost cost;
  for (std::size_t i = 0; i < dataflow.cloned_nodes.size(); ++i) {
    const NodeId node(dataflow.graph_nodes + i);
    if (dataflow.runs_origin(node)) {
      cost.flops += sizes.node_flops[dataflow.origin(node)];
      continue;
    }
    const ValueId tensor = dataflow.origin(dataflow.topology.outputs[node][0]);
    const AddedKind kind = dataflow.kind(node);
    if (kind == AddedKind::offload || kind == AddedKind::fetch) {
      cost.transfer_bytes += sizes.bytes[tensor];
    } else {
      const int bits = bits_per_element(graph.value(tensor).type.element);
      cost.flops += 8 * static_cast<double>(sizes.bytes[tensor]) / bits;
    }
  }
  return cost;
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
