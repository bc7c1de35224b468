#include "core/passes/training_step.h"

#include <algorithm>
#include <optional>

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
          std::move(given.warnings),
          {}};
}

TrainingStep prepare_training_step(const Graph& model, const TrainingGoal& goal,
                                   const PassSelection& passes) {
  Graph graph = infer_and_simplify(model);
  if (has_backward(graph)) {
    TrainingStep given = find_boundary(std::make_shared<const Graph>(std::move(graph)));
    if (passes.any()) {
      given.warnings.emplace_back(
          "the model already has a backward pass, so no graph pass is applied");
    }
    return given;
  }
  std::vector<PassResult> results;
  std::optional<Graph> exported;
  if (passes.any()) {
    exported = graph;
    graph = infer_shapes(apply_passes(graph, goal, passes, results));
  }
  TrainingStep step;
  try {
    step = build_backward(graph, goal);
  } catch (const NoGradientRule& error) {
    step.graph = std::make_shared<const Graph>(std::move(graph));
    step.no_backward = error.what();
    step.warnings.push_back("no backward pass can be built, so only the forward pass is shown: " +
                            step.no_backward);
  }
  step.passes = std::move(results);
  if (step.no_backward.empty()) {
    std::vector<std::string> notes =
        export_notes(exported ? *exported : graph, *step.graph, step.parameters);
    std::ranges::move(notes, std::back_inserter(step.warnings));
  }
  return step;
}

}  // namespace stashscope
