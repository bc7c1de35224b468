#include "core/passes/pass_effects.h"

#include <algorithm>

#include "core/passes/gradients.h"
#include "core/passes/infer_and_simplify.h"

namespace stashscope {

namespace {

/// The results of all passes of `selection` and of `passes`; empty if a pass cannot be applied.
std::vector<PassResult> results_of(const std::vector<const GraphPass*>& passes, const Graph& graph,
                                   const TrainingGoal& goal, PassSelection selection) {
  for (const GraphPass* const pass : passes) selection.names.emplace(pass->name);
  try {
    return apply_passes(graph, goal, selection).passes;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return {};
  }
}

bool changes(const std::vector<PassResult>& results, const GraphPass& pass) {
  return std::ranges::any_of(
      results, [&](const PassResult& each) { return each.name == pass.name && each.changed > 0; });
}

}  // namespace

std::vector<const GraphPass*> passes_with_effect(const Graph& model, const TrainingGoal& goal,
                                                 const PassSelection& selection, std::size_t most,
                                                 const Progress& progress) {
  progress.update(0, "passes");
  std::vector<const GraphPass*> found;
  if (most == 0) return found;
  const Graph graph = infer_and_simplify(model);
  if (has_backward(graph)) return found;
  for (const GraphPass& pass : graph_passes()) {
    if (found.size() == most) break;
    progress.update(0, "passes");
    if (!pass.among_all || selection.names.contains(std::string(pass.name))) continue;
    if (changes(results_of({&pass}, graph, goal, selection), pass)) found.push_back(&pass);
  }
  const std::vector<PassResult> together = results_of(found, graph, goal, selection);
  if (!together.empty()) {
    std::erase_if(found, [&](const GraphPass* each) { return !changes(together, *each); });
  }
  return found;
}

}  // namespace stashscope
