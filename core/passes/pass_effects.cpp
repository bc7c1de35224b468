#include "core/passes/pass_effects.h"

#include <algorithm>

#include "core/passes/gradients.h"
#include "core/passes/infer_and_simplify.h"

namespace stashscope {

namespace {

/// Whether the pass changes something when it is selected, too.
bool has_effect(const GraphPass& pass, const Graph& graph, const TrainingGoal& goal,
                PassSelection selection) {
  selection.names.emplace(pass.name);
  std::vector<PassResult> results;
  try {
    apply_passes(graph, goal, selection, results);
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::cancelled) throw;
    return false;
  }
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
    if (has_effect(pass, graph, goal, selection)) found.push_back(&pass);
  }
  return found;
}

}  // namespace stashscope
