#include "core/recompute/resized_storages.h"

#include <algorithm>

namespace stashscope {

ResizedStorages::ResizedStorages(const Graph& graph)
    : graph_(graph), step_(*graph.data().captured), next_(step_.storages.size()) {
  for (const Node& node : graph.nodes()) {
    const bool resizes = node.domain == "pytorch.python" && node.op_type == "resize";
    if (!resizes || node.inputs.empty() || node.outputs.empty()) continue;
    next_[step_.storage_of[node.inputs[0]]] = step_.storage_of[node.outputs[0]];
  }
}

StorageId ResizedStorages::at(StorageId storage, NodeId node) const {
  while (next_[storage].valid()) {
    const NodeId maker = graph_.value(step_.storages[next_[storage]].root).producer;
    // In a damaged file, a resize may lead back to an older storage.
    if (!(maker < node) || next_[storage] <= storage) break;
    storage = next_[storage];
  }
  return storage;
}

bool ResizedStorages::is_freed(ValueId value, NodeId node) const {
  const StorageId before = step_.storage_of[value];
  const std::int64_t now = step_.storages[at(before, node)].bytes_as_captured;
  return now < step_.storages[before].bytes_as_captured;
}

bool ResizedStorages::has_inputs(const std::vector<NodeId>& nodes, NodeId first,
                                 NodeId trigger) const {
  return std::ranges::none_of(nodes, [&](NodeId node) {
    return std::ranges::any_of(graph_.node(node).inputs, [&](ValueId input) {
      const NodeId maker = graph_.value(input).producer;
      const bool is_own = maker.valid() && maker >= first;
      return !is_own && is_freed(input, trigger);
    });
  });
}

}  // namespace stashscope
