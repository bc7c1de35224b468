#pragma once

#include "core/memory/workspace.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/infer_shapes.h"
#include "core/passes/training_step.h"
#include "core/schedule/orders/orders.h"
#include "tests/support/model_builder.h"

namespace stashscope::test {

/// A step with everything that order strategies read. Do not move it after a call of `input`.
struct StepInOrders {
  explicit StepInOrders(TrainingStep prepared, std::int64_t dim = 4)
      : step(std::move(prepared)), ops(resolve_ops(*step.graph)), dataflow(*step.graph) {
    std::vector<ValueId> parameters;
    std::vector<ValueId> gradients;
    for (const Parameter& each : step.parameters) {
      parameters.push_back(each.value);
      gradients.push_back(each.gradient);
    }
    rules = buffer_rules(*step.graph, ops, parameters, gradients);
    const Bindings bindings(step.graph->symbols().size(), dim);
    std::vector<ValueId> unknown;
    bytes = value_bytes(*step.graph, bindings, unknown);
    workspace = workspace_bytes(*step.graph, bindings);
  }

  /// For a graph that is not a training step.
  explicit StepInOrders(const Graph& graph, std::int64_t dim = 4)
      : StepInOrders(step_of(infer_shapes(graph)), dim) {}

  OrderInput input() const { return input(dataflow); }
  OrderInput input(const Dataflow& chosen) const {
    return {*step.graph,
            chosen,
            forward_ends(*step.graph, step.boundary),
            {rules, bytes, update, workspace}};
  }

  Timeline timeline(std::string_view order) const {
    return make_timeline(dataflow, input().memory, find_order(order).order(input()));
  }

  TrainingStep step;
  IdVector<NodeId, const Op*> ops;
  Dataflow dataflow;
  BufferRules rules;
  IdVector<ValueId, std::int64_t> bytes;
  UpdateMemory update;
  IdVector<NodeId, std::int64_t> workspace;

 private:
  static TrainingStep step_of(Graph graph) {
    TrainingStep step;
    step.graph = std::make_shared<const Graph>(std::move(graph));
    return step;
  }
};

/// The peak without persistent buffers; for an inference graph, the peak of its activations.
inline std::int64_t activation_peak(const Timeline& timeline) {
  std::int64_t persistent = 0;
  for (const Buffer& each : timeline.buffers) persistent += each.persistent ? each.bytes : 0;
  return timeline.peak_bytes - persistent;
}

}  // namespace stashscope::test
