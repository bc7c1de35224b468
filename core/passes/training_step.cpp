#include "core/passes/training_step.h"

#include <unordered_map>

#include "core/base/error.h"
#include "core/ops/gradient_context.h"
#include "core/passes/infer_shapes.h"
#include "core/passes/inline_branches.h"

namespace stashscope {

namespace {

bool is_yield(const Node& node) { return node.op_type == "YieldOp"; }

/// Gradient operators and in-place accumulation occur in training graphs only.
bool is_training_op(const Node& node) {
  const bool known_domain = node.domain.empty() || node.domain == "com.microsoft";
  return known_domain && (node.op_type.ends_with("Grad") || node.op_type.ends_with("Grad_13") ||
                          node.op_type.starts_with("InPlaceAccumulator"));
}

/// Inputs and initializers by name.
std::unordered_map<std::string, ValueId> outside_values(const Graph& graph) {
  std::unordered_map<std::string, ValueId> named;
  for (const ValueId id : graph.data().inputs) named.emplace(graph.value(id).name, id);
  for (const Initializer& each : graph.data().initializers) {
    named.emplace(graph.value(each.value).name, each.value);
  }
  return named;
}

/// Outputs `<name>_grad` (or `<name>_grad.accumulation.out` and the like) of an input or
/// initializer.
std::vector<Parameter> named_gradients(const Graph& graph) {
  const auto outside = outside_values(graph);
  std::vector<Parameter> parameters;
  for (const ValueId output : graph.data().outputs) {
    const std::string& name = graph.value(output).name;
    const std::size_t end = name.rfind("_grad");
    if (end == std::string::npos) continue;
    const auto found = outside.find(name.substr(0, end));
    if (found != outside.end()) parameters.push_back({found->second, output});
  }
  return parameters;
}

}  // namespace

bool has_backward(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (is_yield(node) || is_training_op(node)) return true;
  }
  return !named_gradients(graph).empty();
}

TrainingStep find_boundary(std::shared_ptr<const Graph> graph) {
  TrainingStep step;
  for (const NodeId id : IdRange<NodeId>(graph->nodes().size())) {
    if (!is_yield(graph->node(id))) continue;
    if (step.yield.valid()) {
      fail_input("",
                 "There are multiple YieldOps in the graph, node: " +
                     printable(graph->node(id).name) + " is the second one.",
                 "the first one is " + describe(graph->node(step.yield), step.yield));
    }
    step.yield = id;
  }
  step.parameters = named_gradients(*graph);
  step.graph = std::move(graph);
  return step;
}

namespace {

/// Inference, repeated while known conditions of If nodes let their branches be inlined.
Graph infer_and_inline(const Graph& model) {
  Graph graph = infer_shapes(model);
  while (const std::optional<Graph> inlined = inline_known_branches(graph)) {
    graph = infer_shapes(*inlined);
  }
  return graph;
}

/// Ids of values are the same before and after inference, those of nodes too.
TrainingStep with_inferred_shapes(TrainingStep step) {
  step.graph = std::make_shared<const Graph>(infer_shapes(*step.graph));
  for (const NodeId id : IdRange<NodeId>(step.graph->nodes().size())) {
    if (is_yield(step.graph->node(id))) step.yield = id;
  }
  return step;
}

}  // namespace

TrainingStep prepare_training_step(const Graph& model, const TrainingGoal& goal) {
  const Graph graph = infer_and_inline(model);
  if (has_backward(graph)) return find_boundary(std::make_shared<const Graph>(graph));
  try {
    return with_inferred_shapes(build_backward(graph, goal));
  } catch (const NoGradientRule& error) {
    TrainingStep forward_only;
    forward_only.graph = std::make_shared<const Graph>(graph);
    forward_only.warnings.push_back(
        std::string("no backward pass can be built, so only the forward "
                    "pass is shown: ") +
        error.what());
    return forward_only;
  }
}

}  // namespace stashscope
