#include "core/run/cpu/execute/evaluate.h"

#include "core/graph/file_order.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"
#include "core/passes/infer_shapes.h"
#include "core/run/cpu/execute/cpu_runner.h"
#include "core/run/cpu/kernels/standard_kernels.h"
#include "core/run/shared/kernel.h"
#include "core/run/step/runner.h"

namespace stashscope {

namespace {

bool has_constant_kernel(const Node& node) { return cpu::standard_kernels().find(node) != nullptr; }

NamedTensors run_constants(const Graph& given) {
  const auto graph = std::make_shared<const Graph>(infer_shapes(given));
  std::vector<ValueId> unknown;
  const Bindings none(graph->symbols().size());
  const IdVector<ValueId, std::int64_t> bytes = value_bytes(*graph, none, unknown);
  const BufferRules rules = buffer_rules(*graph, resolve_ops(*graph), {}, {});
  const Dataflow dataflow(*graph);
  std::vector<NodeId> order = file_order(dataflow.topology);
  const RunPlan plan{graph, dataflow, make_timeline(dataflow, rules, bytes, std::move(order))};
  return cpu::CpuRunner().run(plan, {}, {}, {}).outputs;
}

}  // namespace

ConstantEvaluator cpu_evaluator() { return {has_constant_kernel, run_constants}; }

}  // namespace stashscope
