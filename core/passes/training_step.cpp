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
#include "core/passes/what_if/micro_batches.h"
#include "core/passes/what_if/micro_checks.h"
#include "core/passes/what_if/micro_losses.h"

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

/// The parameters of a captured step and their gradients. A gradient is the output, or else the
/// input, with the name of the parameter plus `.grad`.
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

/// The step in micro-batches. @param split without losses and sums
TrainingStep split_step(const Graph& model, const TrainingGoal& goal, ElementType gradient_type,
                        MicroBatches split) {
  split.losses = loss_outputs(model, goal);
  std::vector<std::string> changed = combined_sample_notes(model, split.inputs, split.batch);
  std::ranges::move(micro_batch_notes(model), std::back_inserter(changed));
  std::vector<std::string> notes;
  const Graph scaled = with_micro_losses(model, split, notes);
  TrainingStep step = build_backward(infer_shapes(scaled), goal, gradient_type);
  if (!step.no_backward.empty()) return step;
  std::ranges::copy(changed, std::back_inserter(step.warnings));
  std::ranges::copy(notes, std::back_inserter(step.warnings));
  step.changed_results = std::move(changed);
  step.conditions = std::move(notes);
  step.graph =
      std::make_shared<const Graph>(micro_step(*step.graph, step.parameters, std::move(split)));
  step.boundary = find_given_backward(*step.graph).boundary;
  return step;
}

/// The step in as many micro-batches as `result` says. Nothing if the batch stays whole; then
/// `result` says why.
std::optional<TrainingStep> build_micro_step(const Graph& model, const TrainingGoal& goal,
                                             ElementType gradient_type, WhatIfResult& result) {
  const std::int64_t count = std::stoll(result.value);
  const BatchAxis axis = find_batch(model, parameter_candidates(model, goal));
  result.found = axis.inputs.size();
  result.stopped_by = axis.stopped_by;
  if (!axis.batch.valid() || count == 1) return std::nullopt;
  try {
    TrainingStep step =
        split_step(model, goal, gradient_type, {count, axis.batch, axis.inputs, {}, {}});
    result.changed = result.found;
    std::ranges::copy(axis.notes, std::back_inserter(step.warnings));
    if (step.no_backward.empty()) return step;
  } catch (const NoGradientRule&) {
    // The step of the whole batch has the same fault and reports it.
  }
  result.found = result.changed = 0;
  result.stopped_by.push_back({"the model", "has no backward pass"});
  return std::nullopt;
}

/// Builds the step, in micro-batches if that is wanted and possible.
TrainingStep build_step(const Graph& model, const TrainingGoal& goal,
                        const PassSelection& selection, std::vector<WhatIfResult>& results) {
  const auto chosen = selection.what_ifs.find(std::string(micro_batches_name));
  if (chosen == selection.what_ifs.end())
    return build_backward(model, goal, selection.gradient_type);
  WhatIfResult result{chosen->first, micro_batch_count(chosen->second)};
  std::optional<TrainingStep> step = build_micro_step(model, goal, selection.gradient_type, result);
  results.push_back(std::move(result));
  return step ? *std::move(step) : build_backward(model, goal, selection.gradient_type);
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
    step = build_step(graph, goal, passes, passed.what_ifs);
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
