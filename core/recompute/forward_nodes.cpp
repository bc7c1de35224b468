#include "core/recompute/forward_nodes.h"

namespace stashscope {

namespace {

bool says_gradient(const Node& node) {
  return node.name.find("_Grad") != std::string::npos || node.op_type.ends_with("Grad") ||
         without_clone_suffix(node.name).size() < node.name.size();
}

}  // namespace

IdVector<NodeId, bool> forward_nodes(const Graph& graph, const Stash& stash) {
  const bool has_boundary = stash.forward_nodes > 0;
  IdVector<NodeId, bool> is_forward;
  is_forward.reserve(graph.nodes().size());
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    is_forward.push_back(has_boundary ? stash.is_forward(id) : !says_gradient(graph.node(id)));
  }
  return is_forward;
}

IdVector<NodeId, bool> forward_nodes(const Graph& graph, const Dataflow& dataflow,
                                     const Stash& stash) {
  IdVector<NodeId, bool> is_forward = forward_nodes(graph, stash);
  is_forward.resize(dataflow.topology.nodes());
  return is_forward;
}

}  // namespace stashscope
