#include "core/study/choices/node_names.h"

#include <algorithm>

#include "core/base/text.h"

namespace stashscope {

namespace {

/// The node's own name; empty if the node has no name.
std::string own_name(const Graph& graph, const Dataflow& dataflow, NodeId node) {
  const bool has_name = !graph.node(dataflow.origin(node)).name.empty();
  return has_name ? name_of(graph, dataflow, node) : "";
}

/// The node's own name, then the names of its outputs.
std::vector<std::string> possible_names(const Graph& graph, const Dataflow& dataflow, NodeId node) {
  std::vector<std::string> names = {own_name(graph, dataflow, node)};
  if (names.front().empty()) names.clear();
  for (const ValueId output : dataflow.topology.outputs[node]) {
    if (output.valid()) names.push_back(name_of(graph, dataflow, output));
  }
  return names;
}

}  // namespace

std::string shown_name(const Graph& graph, const Dataflow& dataflow, NodeId node) {
  const std::vector<std::string> names = possible_names(graph, dataflow, node);
  return names.empty() ? "" : names.front();
}

std::string titled_name(const Graph& graph, const Dataflow& dataflow, NodeId node) {
  const std::string own = own_name(graph, dataflow, node);
  if (!own.empty()) return own;
  const std::string& type = graph.node(dataflow.origin(node)).op_type;
  const std::string output = shown_name(graph, dataflow, node);
  return output.empty() ? type : type + " → " + output;
}

NodeNames::NodeNames(const Graph& graph) : NodeNames(graph, Dataflow(graph)) {}

NodeNames::NodeNames(const Graph& graph, const Dataflow& dataflow)
    : names_(dataflow.topology.nodes()) {
  const IdRange<NodeId> nodes(names_.size());
  for (const NodeId node : nodes) {
    const std::string own = own_name(graph, dataflow, node);
    if (!own.empty()) meant_[own].push_back(node);
  }
  for (const NodeId node : nodes) {
    for (const std::string& name : possible_names(graph, dataflow, node)) {
      const std::vector<NodeId>& meant = meant_.try_emplace(name, 1, node).first->second;
      const bool is_clear = meant.size() == 1 && meant.front() == node;
      if (is_clear && names_[node].empty()) names_[node] = name;
    }
  }
}

std::span<const NodeId> NodeNames::all(const std::string& name) const {
  const auto found = meant_.find(name);
  return found == meant_.end() ? std::span<const NodeId>() : found->second;
}

NodeId NodeNames::find(const std::string& name) const {
  const std::span<const NodeId> meant = all(name);
  return meant.empty() ? NodeId() : meant.front();
}

void forget_names(const NodeNames& names, const std::set<NodeId>& nodes,
                  std::set<std::string>& known) {
  std::erase_if(known, [&](const std::string& name) {
    return std::ranges::any_of(names.all(name), [&](NodeId node) { return nodes.contains(node); });
  });
}

std::string why_not_named(const Graph& graph, const Dataflow& dataflow,
                          std::span<const NodeId> nodes) {
  const NodeNames names(graph, dataflow);
  const auto nameless =
      std::ranges::find_if(nodes, [&](NodeId node) { return names.of(node).empty(); });
  if (nameless == nodes.end()) return "";
  return "all names of " + graph.node(dataflow.origin(*nameless)).op_type + " '" +
         printable(shown_name(graph, dataflow, *nameless)) +
         "' also identify other nodes; rename the node in the model";
}

}  // namespace stashscope
