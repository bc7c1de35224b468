#include "core/passes/training_step.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "core/graph/captured_step.h"
#include "core/ops/rules/gradient_context.h"
#include "core/passes/export_notes.h"
#include "core/passes/graph_pass.h"
#include "core/passes/infer_and_simplify.h"
#include "core/passes/infer_shapes.h"

namespace stashscope {

TrainingStep find_boundary(std::shared_ptr<const Graph> graph) {
  GivenBackward given = find_given_backward(*graph);
  return {std::move(graph),
          std::move(given.boundary),
          std::move(given.parameters),
          {},
          {},
          std::move(given.warnings),
          {}};
}

namespace {

void warn_of_passes(const PassSelection& passes, TrainingStep& given) {
  if (!passes.names.empty() || passes.precision != ElementType::undefined) {
    given.warnings.emplace_back(
        "the model already has a backward pass, so no graph pass is applied");
  }
  if (!passes.what_ifs.empty()) {
    given.warnings.emplace_back("the model already has a backward pass, so no what-if is applied");
  }
  if (passes.gradient_type != ElementType::undefined) {
    given.warnings.emplace_back(
        "the model already has a backward pass, so its gradients keep their types");
  }
}

/// The gradient of a parameter has the parameter's name plus `.grad`. The gradient is an output of
/// the step. If the step adds to an earlier gradient, the earlier gradient is an input of the step.
std::vector<Parameter> captured_parameters(const Graph& graph) {
  std::unordered_map<std::string, ValueId> gradients;
  for (const auto* const list : {&graph.data().outputs, &graph.data().inputs}) {
    for (const ValueId id : *list) gradients.emplace(graph.value(id).name, id);
  }
  std::vector<Parameter> parameters;
  for (const ValueId id : graph.data().inputs) {
    if (graph.data().captured->role_of(id) != CapturedRole::parameter) continue;
    const auto gradient = gradients.find(graph.value(id).name + ".grad");
    parameters.push_back({id, gradient == gradients.end() ? ValueId() : gradient->second});
  }
  return parameters;
}

/// The step as PyTorch ran it: nothing is inferred or changed.
TrainingStep captured_training_step(const Graph& model, const PassSelection& passes) {
  TrainingStep step;
  step.graph = std::make_shared<const Graph>(model);
  const CapturedStep& captured = *model.data().captured;
  for (const NodeId id : IdRange<NodeId>(captured.nodes_until_update())) {
    if (captured.phases[id] != CapturedPhase::forward) continue;
    std::ranges::copy(model.topology().outputs[id], std::back_inserter(step.boundary.outputs));
  }
  step.parameters = captured_parameters(model);
  warn_of_passes(passes, step);
  return step;
}

void take_results(PassedModel&& passed, TrainingStep& step) {
  step.passes = std::move(passed.passes);
  step.what_ifs = std::move(passed.what_ifs);
}

}  // namespace

TrainingStep prepare_training_step(const Graph& model, const TrainingGoal& goal,
                                   const PassSelection& passes) {
  if (model.data().captured) return captured_training_step(model, passes);
  Graph graph = infer_and_simplify(model);
  if (has_backward(graph)) {
    TrainingStep given = find_boundary(std::make_shared<const Graph>(std::move(graph)));
    warn_of_passes(passes, given);
    return given;
  }
  std::optional<Graph> exported;
  PassedModel passed{graph, {}, {}};
  if (passes.any()) {
    exported = graph;
    passed = apply_passes(graph, goal, passes);
    graph = infer_shapes(passed.graph);
  }
  TrainingStep step;
  try {
    step = build_backward(graph, goal, passes.gradient_type);
  } catch (const NoGradientRule& error) {
    step.graph = std::make_shared<const Graph>(std::move(graph));
    step.no_backward = error.what();
    step.warnings.push_back("no backward pass can be built, so only the forward pass is shown: " +
                            step.no_backward);
    take_results(std::move(passed), step);
    return step;
  }
  take_results(std::move(passed), step);
  if (step.no_backward.empty()) {
    std::vector<std::string> notes =
        export_notes(exported ? *exported : graph, *step.graph, step.parameters);
    std::ranges::move(notes, std::back_inserter(step.warnings));
  }
  return step;
}

}  // namespace stashscope
