#include "core/graph/dataflow.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace stashscope {

namespace {

/// The texts for nodes of one AddedKind.
struct KindTexts {
  std::string_view suffix;
  std::string_view op_type;
  std::string_view purpose;
};
constexpr std::array<KindTexts, 6> kind_texts = {{
    {clone_suffix, "", "Recompute of "},
    {"_offload", "MemcpyToHost", "Evicts the stashed output of "},
    {"_fetch", "MemcpyFromHost", "Restores the stashed output of "},
    {"_compress", "Cast", "Compresses the stashed output of "},
    {"_decompress", "Cast", "Decompresses the stashed output of "},
    {"_generator_state", "", "State of the random generator at "},
}};

const KindTexts& texts_of(AddedKind kind) { return kind_texts[static_cast<std::size_t>(kind)]; }

/// Several outputs of a node may be evicted and restored. The suffix distinguishes the nodes that
/// are added for these outputs. It is empty for the node's first output, and if `id` is not such a
/// node.
std::string output_suffix(const Graph& graph, const Dataflow& dataflow, NodeId id) {
  if (dataflow.runs_origin(id)) return "";
  const std::vector<ValueId>& outputs = graph.node(dataflow.origin(id)).outputs;
  const ValueId moved = dataflow.origin(dataflow.topology.outputs[id][0]);
  const auto position = std::find(outputs.begin(), outputs.end(), moved) - outputs.begin();
  return position == 0 ? "" : "_" + std::to_string(position);
}

std::string suffix_of(const Dataflow& dataflow, NodeId id) {
  const std::uint32_t copy = dataflow.copy(id);
  return std::string(texts_of(dataflow.kind(id)).suffix) +
         (copy == 0 ? "" : std::to_string(copy + 1));
}

}  // namespace

Dataflow::Dataflow(const Graph& graph)
    : topology(graph.topology()),
      graph_nodes(graph.nodes().size()),
      graph_values(graph.values().size()) {}

std::string_view without_clone_suffix(std::string_view name) {
  for (;;) {
    std::string_view rest = name;
    while (!rest.empty() && rest.back() >= '0' && rest.back() <= '9') rest.remove_suffix(1);
    if (!rest.ends_with(clone_suffix)) return name;
    name = rest.substr(0, rest.size() - clone_suffix.size());
  }
}

std::string name_of(const Graph& graph, const Dataflow& dataflow, NodeId id) {
  const std::string& name = graph.node(dataflow.origin(id)).name;
  if (!dataflow.is_clone(id)) return name;
  return name + output_suffix(graph, dataflow, id) + suffix_of(dataflow, id);
}

std::string name_of(const Graph& graph, const Dataflow& dataflow, ValueId id) {
  const std::string& name = graph.value(dataflow.origin(id)).name;
  if (id.index() < dataflow.graph_values) return name;
  return name + suffix_of(dataflow, dataflow.topology.producer[id]);
}

ElementType stored_element(const Graph& graph, const Dataflow& dataflow, ValueId id) {
  const ElementType element = dataflow.form(id).element;
  return element == ElementType::undefined ? graph.value(dataflow.origin(id)).type.element
                                           : element;
}

Node transfer_node(const Graph& graph, const Dataflow& dataflow, NodeId id) {
  const AddedKind kind = dataflow.kind(id);
  const Node& maker = graph.node(dataflow.origin(id));
  const ValueId output = dataflow.topology.outputs[id][0];
  Node node;
  node.name = name_of(graph, dataflow, id);
  node.op_type = texts_of(kind).op_type;
  node.inputs = {dataflow.topology.inputs[id][0]};
  node.outputs = {output};
  node.doc_string = std::string(texts_of(kind).purpose) + maker.name;
  if (node.op_type == "Cast") {
    node.attributes.set("to", static_cast<std::int64_t>(stored_element(graph, dataflow, output)));
  }
  return node;
}

std::int64_t seed_for(const std::string& output_name) {
  std::uint32_t hash = 0;
  for (const char c : output_name) hash = hash * 101 + static_cast<unsigned char>(c);
  return hash;
}

namespace {

/// The first opset whose Cast supports the floating-point type `element`. (ONNX, Cast)
std::int64_t cast_version(ElementType element) {
  if (bits_per_element(element) == 8) return 19;
  return element == ElementType::bfloat16 ? 13 : 1;
}

void require_cast(const Graph& graph, ElementType element) {
  const std::int64_t needed = cast_version(element);
  const std::int64_t opset = graph.opset("");
  if (opset >= needed) return;
  fail_usage("the modified model",
             "would cast to " + std::string(name_of(element)) + ", which needs opset " +
                 std::to_string(needed) + "; the model has opset " + std::to_string(opset),
             "choose another type for the compressed tensors");
}

void seed_random_nodes(GraphData& data, const Dataflow& dataflow) {
  for (const NodeId id : dataflow.seeded_nodes) {
    Node& node = data.nodes[id];
    if (node.attributes.has("seed")) continue;
    node.attributes.set("seed", seed_for(data.values[node.outputs[0]].name));
  }
}

/// Adds the values of added nodes. Appends the suffix to a value's name until the name is free,
/// because a model that was saved with clones may already contain the name with one suffix.
void add_cloned_values(GraphData& data, const Dataflow& dataflow) {
  if (dataflow.cloned_values.empty()) return;
  std::unordered_set<std::string> names;
  for (const Value& value : data.values) names.insert(value.name);
  for (std::size_t i = 0; i < dataflow.cloned_values.size(); ++i) {
    const NodeId maker = dataflow.topology.producer[ValueId(dataflow.graph_values + i)];
    Value value = data.values[dataflow.cloned_values[i]];
    do {
      value.name += suffix_of(dataflow, maker);
    } while (!names.insert(value.name).second);
    const ElementType element = dataflow.forms[i].element;
    if (element != ElementType::undefined) value.type.element = element;
    data.values.push_back(std::move(value));
  }
}

/// A copy of the graph's node from which `id` originates. The copy reads the inputs that `id` has
/// in `dataflow`.
Node rewired(const GraphData& data, const Dataflow& dataflow, NodeId id) {
  Node node = data.nodes[dataflow.origin(id)];
  const auto inputs = dataflow.topology.inputs[id];
  node.inputs.assign(inputs.begin(), inputs.begin() + std::ssize(node.inputs));
  node.captured_inputs.assign(inputs.begin() + std::ssize(node.inputs), inputs.end());
  return node;
}

bool casts(AddedKind kind) { return kind == AddedKind::compress || kind == AddedKind::decompress; }

}  // namespace

Graph materialize(const Graph& graph, const Dataflow& dataflow, const std::vector<NodeId>& order) {
  GraphData data = graph.data();
  seed_random_nodes(data, dataflow);
  add_cloned_values(data, dataflow);
  IdVector<NodeId, Node> nodes;
  nodes.reserve(order.size());
  for (const NodeId id : order) {
    if (!dataflow.runs_origin(id)) {
      nodes.push_back(transfer_node(graph, dataflow, id));
      const ElementType stored = stored_element(graph, dataflow, dataflow.topology.outputs[id][0]);
      if (casts(dataflow.kind(id))) require_cast(graph, stored);
      continue;
    }
    Node node = rewired(data, dataflow, id);
    if (dataflow.is_clone(id)) {
      node.doc_string = std::string(texts_of(AddedKind::recompute).purpose) + node.name;
      node.name += suffix_of(dataflow, id);
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
