#include "core/study/node_names.h"

namespace stashscope {

namespace {

/// Empty for a node that makes nothing.
std::string first_tensor(const Graph& graph, const Dataflow& dataflow, NodeId node) {
  for (const ValueId output : dataflow.topology.outputs[node]) {
    if (output.valid()) return name_of(graph, dataflow, output);
  }
  return "";
}

}  // namespace

std::string shown_name(const Graph& graph, const Dataflow& dataflow, NodeId node) {
  const bool has_name = !graph.node(dataflow.origin(node)).name.empty();
  return has_name ? name_of(graph, dataflow, node) : first_tensor(graph, dataflow, node);
}

NodeNames::NodeNames(const Graph& graph, const Dataflow& dataflow)
    : graph_(graph), dataflow_(dataflow) {
  for (const NodeId node : IdRange<NodeId>(dataflow.topology.nodes())) {
    by_name_.try_emplace(name_of(graph, dataflow, node), node);
    by_tensor_.try_emplace(first_tensor(graph, dataflow, node), node);
  }
}

std::string NodeNames::of(NodeId node) const {
  const bool has_name = !graph_.node(dataflow_.origin(node)).name.empty();
  const std::string name = name_of(graph_, dataflow_, node);
  return has_name && find(name) == node ? name : first_tensor(graph_, dataflow_, node);
}

NodeId NodeNames::find(const std::string& name) const {
  if (name.empty()) return {};
  const auto named = by_name_.find(name);
  if (named != by_name_.end()) return named->second;
  const auto made = by_tensor_.find(name);
  return made == by_tensor_.end() ? NodeId() : made->second;
}

}  // namespace stashscope
