#include "core/graph/dataflow.h"

#include <unordered_set>

namespace stashscope {

Dataflow::Dataflow(const Graph& graph)
    : topology(graph.topology()),
      graph_nodes(graph.nodes().size()),
      graph_values(graph.values().size()) {}

std::string name_of(const Graph& graph, const Dataflow& dataflow, NodeId id) {
  const std::string& name = graph.node(dataflow.origin(id)).name;
  return dataflow.is_clone(id) ? name + std::string(clone_suffix) : name;
}

std::string name_of(const Graph& graph, const Dataflow& dataflow, ValueId id) {
  const std::string& name = graph.value(dataflow.origin(id)).name;
  return id.index() < dataflow.graph_values ? name : name + std::string(clone_suffix);
}

std::int64_t seed_for(const std::string& output_name) {
  std::uint32_t hash = 0;
  for (const char c : output_name) hash = hash * 101 + static_cast<unsigned char>(c);
  return hash;
}

namespace {

void seed_random_nodes(GraphData& data, const Dataflow& dataflow) {
  for (const NodeId id : dataflow.seeded_nodes) {
    Node& node = data.nodes[id];
    if (node.attributes.has("seed")) continue;
    node.attributes.set("seed", seed_for(data.values[node.outputs[0]].name));
  }
}

/// A model that was saved with clones before may hold the plain name already.
void add_cloned_values(GraphData& data, const Dataflow& dataflow) {
  if (dataflow.cloned_values.empty()) return;
  std::unordered_set<std::string> names;
  for (const Value& value : data.values) names.insert(value.name);
  for (const ValueId original : dataflow.cloned_values) {
    Value value = data.values[original];
    do {
      value.name += clone_suffix;
    } while (!names.insert(value.name).second);
    data.values.push_back(std::move(value));
  }
}

/// The original with its inputs as the dataflow wires them.
Node rewired(const GraphData& data, const Dataflow& dataflow, NodeId id) {
  Node node = data.nodes[dataflow.origin(id)];
  const auto inputs = dataflow.topology.inputs[id];
  node.inputs.assign(inputs.begin(), inputs.begin() + std::ssize(node.inputs));
  node.captured_inputs.assign(inputs.begin() + std::ssize(node.inputs), inputs.end());
  return node;
}

}  // namespace

Graph materialize(const Graph& graph, const Dataflow& dataflow, const std::vector<NodeId>& order) {
  GraphData data = graph.data();
  seed_random_nodes(data, dataflow);
  add_cloned_values(data, dataflow);
  IdVector<NodeId, Node> nodes;
  nodes.reserve(order.size());
  for (const NodeId id : order) {
    Node node = rewired(data, dataflow, id);
    if (dataflow.is_clone(id)) {
      node.doc_string = "Recompute of " + node.name;
      node.name += clone_suffix;
      auto made = dataflow.topology.outputs[id].begin();
      for (ValueId& output : node.outputs) {
        if (output.valid()) output = *made++;
      }
    }
    nodes.push_back(std::move(node));
  }
  data.nodes = std::move(nodes);
  return Graph(std::move(data));
}

}  // namespace stashscope
