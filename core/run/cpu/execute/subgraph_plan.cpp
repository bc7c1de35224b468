#include "core/run/cpu/execute/subgraph_plan.h"

#include "core/graph/file_order.h"
#include "core/ops/families/standard_ops.h"
#include "core/passes/infer_shapes.h"

namespace stashscope::cpu {

namespace {

/// A subgraph as a separate graph: captured values become inputs, and every input gets the type of
/// its tensor in `inputs`.
Graph standing_alone(const Graph& body, const NamedTensors& inputs) {
  GraphData data = body.data();
  for (Value& value : data.values) value.type.shape.reset();
  data.inputs.insert(data.inputs.end(), data.captures.begin(), data.captures.end());
  data.captures.clear();
  for (const ValueId id : data.inputs) {
    Value& value = data.values[id];
    const auto given = inputs.find(value.name);
    if (given == inputs.end()) fail_run(describe(value), "is missing among the subgraph's inputs");
    const std::vector<std::int64_t>& dims = given->second.dims();
    value.type = {given->second.element(), Shape(dims.begin(), dims.end()), {}};
  }
  for (const Initializer& each : data.initializers) {
    const std::vector<std::int64_t>& dims = each.tensor.dims();
    data.values[each.value].type.shape = Shape(dims.begin(), dims.end());
  }
  return infer_shapes(Graph(std::move(data)));
}

}  // namespace

RunPlan subgraph_plan(const Graph& body, const NamedTensors& inputs) {
  auto graph = std::make_shared<const Graph>(standing_alone(body, inputs));
  Dataflow dataflow(*graph);
  const BufferRules rules = buffer_rules(*graph, resolve_ops(*graph), {}, {});
  std::vector<ValueId> unknown;
  const auto bytes = value_bytes(*graph, Bindings(graph->symbols().size()), unknown);
  std::vector<NodeId> order = file_order(dataflow.topology);
  Timeline timeline = make_timeline(dataflow, rules, bytes, std::move(order));
  return {std::move(graph), std::move(dataflow), std::move(timeline)};
}

}  // namespace stashscope::cpu
