// Drops all outputs except the loss, because training needs no other output.

#include <algorithm>

#include "core/passes/graph_pass.h"

namespace stashscope {

namespace {

/// The loss that the goal names. If the goal names none, the only computed floating-point scalar
/// among the outputs. Invalid if no output fits, or more than one.
ValueId loss_of(const Rewriter& graph, const TrainingGoal& goal) {
  std::vector<ValueId> found;
  for (const ValueId id : graph.outputs()) {
    const Value& value = graph.value(id);
    if (!is_floating(value.type.element) || !value.producer.valid()) continue;
    const auto count = element_count(value.type);
    const bool fits = goal.loss.empty() ? count && count->is(1) : value.name == goal.loss;
    if (fits) found.push_back(id);
  }
  return found.size() == 1 ? found[0] : ValueId();
}

}  // namespace

std::size_t keep_loss_only(Rewriter& graph, const PassContext& context) {
  const ValueId loss = loss_of(graph, context.goal);
  if (!loss.valid()) return 0;
  std::size_t dropped = 0;
  const std::vector<ValueId> outputs = graph.outputs();
  for (const ValueId id : outputs) {
    if (id == loss) continue;
    graph.drop_output(id);
    ++dropped;
  }
  return dropped;
}

}  // namespace stashscope
