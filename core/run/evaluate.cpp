#include "core/run/evaluate.h"

#include "core/ops/op.h"
#include "core/passes/infer_shapes.h"
#include "core/run/cpu/kernel.h"
#include "core/run/runner.h"
#include "core/schedule/strategies.h"

namespace stashscope {

namespace {

bool has_kernel(const Node& node) { return cpu::KernelRegistry::standard().find(node) != nullptr; }

NamedTensors run_constants(const Graph& given) {
  const auto graph = std::make_shared<const Graph>(infer_shapes(given));
  std::vector<ValueId> unknown;
  const Bindings none(graph->symbols().size());
  const IdVector<ValueId, std::int64_t> bytes = value_bytes(*graph, none, unknown);
  const BufferRules rules = buffer_rules(*graph, resolve_ops(*graph), {}, {});
  const Dataflow dataflow(*graph);
  std::vector<NodeId> order = file_order(dataflow.topology);
  const RunPlan plan{graph, dataflow, make_timeline(dataflow, rules, bytes, std::move(order))};
  return make_runner("cpu")->run(plan, {}, {}, {}).outputs;
}

}  // namespace

ConstantEvaluator cpu_evaluator() { return {has_kernel, run_constants}; }

}  // namespace stashscope
