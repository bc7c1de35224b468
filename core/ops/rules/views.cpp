#include "core/ops/rules/views.h"

namespace stashscope {

std::vector<ValueId> views_of(const Graph& graph, const Node& node, const Op* op, ValueId value) {
  std::vector<ValueId> views;
  if (op == nullptr || op->alias == nullptr) return views;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const auto shared = op->alias(graph, node, i);
    const bool shows = shared && *shared < node.inputs.size() && node.inputs[*shared] == value;
    if (shows && node.outputs[i].valid()) views.push_back(node.outputs[i]);
  }
  return views;
}

}  // namespace stashscope
