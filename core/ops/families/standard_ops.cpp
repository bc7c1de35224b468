#include "core/ops/families/standard_ops.h"

#include "core/ops/families/families.h"

namespace stashscope {

namespace {

OpRegistry all_families() {
  OpRegistry registry;
  for (const auto& add_family : op_families) add_family(registry);
  return registry;
}

}  // namespace

const OpRegistry& standard_ops() {
  static const OpRegistry registry = all_families();
  return registry;
}

IdVector<NodeId, const Op*> resolve_ops(const Graph& graph, const OpRegistry& registry) {
  IdVector<NodeId, const Op*> ops;
  ops.reserve(graph.nodes().size());
  for (const Node& node : graph.nodes()) ops.push_back(registry.find(node));
  return ops;
}

}  // namespace stashscope
