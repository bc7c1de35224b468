#include "core/graph/graph.h"

#include "core/base/error.h"
#include "core/graph/traversal.h"

namespace stashscope {

namespace {

std::string makers(const GraphData& data, NodeId first, NodeId second) {
  return describe(data.nodes[first], first) + " and " + describe(data.nodes[second], second);
}

/// Records each node as producer of its outputs. Throws an input Error when a value has two
/// producers, or when a graph input or initializer has a producer.
void set_producers(GraphData& data, const IdVector<ValueId, bool>& from_outside) {
  for (Value& value : data.values) value.producer = NodeId();
  for (const NodeId id : IdRange<NodeId>(data.nodes.size())) {
    for (const ValueId output : data.nodes[id].outputs) {
      if (!output.valid()) continue;
      Value& value = data.values[output];
      if (value.producer.valid()) {
        fail_input(describe(value), "has two producers, " + makers(data, value.producer, id));
      }
      if (from_outside[output]) {
        fail_input(describe(value), "is a graph input or initializer, but also an output of " +
                                        describe(data.nodes[id], id));
      }
      value.producer = id;
    }
  }
}

void require_makers(const GraphData& data, const IdVector<ValueId, bool>& from_outside) {
  const auto made = [&](ValueId id) {
    return from_outside[id] || data.values[id].producer.valid();
  };
  for (const NodeId id : IdRange<NodeId>(data.nodes.size())) {
    const Node& node = data.nodes[id];
    for (const auto* list : {&node.inputs, &node.captured_inputs}) {
      for (const ValueId input : *list) {
        if (input.valid() && !made(input)) {
          fail_input(describe(node, id),
                     "reads " + describe(data.values[input]) +
                         ", which is not a graph input, an initializer or an output of a node");
        }
      }
    }
  }
  for (const ValueId output : data.outputs) {
    if (!made(output)) {
      fail_input(describe(data.values[output]), "is a graph output, but no node produces it");
    }
  }
}

Topology topology_of(const GraphData& data) {
  Topology topology;
  topology.inputs.reserve(data.nodes.size(), data.nodes.size() * 3);
  topology.outputs.reserve(data.nodes.size(), data.nodes.size() * 2);
  for (const Node& node : data.nodes) {
    topology.inputs.start_row();
    for (const ValueId input : node.inputs) topology.inputs.push(input);
    for (const ValueId input : node.captured_inputs) topology.inputs.push(input);
    topology.outputs.start_row();
    for (const ValueId output : node.outputs) {
      if (output.valid()) topology.outputs.push(output);
    }
  }
  topology.connect(data.values.size());
  return topology;
}

/// Brings the nodes into topological order; keeps the file's order when it is topological.
void sort_nodes(GraphData& data, Topology& topology) {
  const std::vector<NodeId> order = topological_order(topology);
  if (order.size() < data.nodes.size()) {
    const NodeId stuck = find_cycle_member(topology);
    fail_input(describe(data.nodes[stuck], stuck), "is part of a cycle");
  }
  bool sorted = true;
  for (std::size_t i = 0; i < order.size(); ++i) sorted = sorted && order[i].index() == i;
  if (sorted) return;
  data.warnings.push_back("the nodes were not in topological order and have been sorted");
  IdVector<NodeId, Node> nodes;
  for (const NodeId id : order) nodes.push_back(std::move(data.nodes[id]));
  data.nodes = std::move(nodes);
  for (const NodeId id : IdRange<NodeId>(data.nodes.size())) {
    for (const ValueId output : data.nodes[id].outputs) {
      if (output.valid()) data.values[output].producer = id;
    }
  }
  topology = topology_of(data);
}

}  // namespace

ValueId GraphData::add_value(std::string value_name, TensorType type) {
  return values.push_back({std::move(value_name), std::move(type), NodeId(), nullptr, {}});
}

ValueId GraphData::add_initializer(std::string value_name, Tensor tensor) {
  TensorType type{tensor.element(), Shape(), {}};
  for (const std::int64_t dim : tensor.dims()) type.shape->push_back(dim);
  const ValueId id = add_value(std::move(value_name), std::move(type));
  initializers.push_back({id, std::move(tensor), true});
  return id;
}

void Topology::connect(std::size_t value_count) {
  producer = IdVector<ValueId, NodeId>(value_count);
  std::vector<std::uint32_t> counts(value_count, 0);
  // A node may read a value through several inputs, but counts once as a reader. `last_reader` has
  // the node that was last counted as a reader of each value.
  std::vector<std::uint32_t> last_reader(value_count, 0xFFFFFFFFU);
  const auto for_each_read = [&](auto visit) {
    std::fill(last_reader.begin(), last_reader.end(), 0xFFFFFFFFU);
    for (const NodeId node : IdRange<NodeId>(inputs.size())) {
      for (const ValueId input : inputs[node]) {
        if (!input.valid() || last_reader[input.index()] == node.index()) continue;
        last_reader[input.index()] = static_cast<std::uint32_t>(node.index());
        visit(node, input);
      }
    }
  };
  for (const NodeId node : IdRange<NodeId>(outputs.size())) {
    for (const ValueId output : outputs[node]) producer[output] = node;
  }
  for_each_read([&](NodeId, ValueId value) { ++counts[value.index()]; });
  readers = IdRows<ValueId, NodeId>(counts);
  std::vector<std::uint32_t> next(value_count, 0);
  for_each_read(
      [&](NodeId node, ValueId value) { readers.row(value)[next[value.index()]++] = node; });
}

Graph::Graph(GraphData data) : data_(std::move(data)) {
  const std::size_t count = data_.values.size();
  is_input_ = IdVector<ValueId, bool>(count, false);
  is_output_ = IdVector<ValueId, bool>(count, false);
  initializer_index_ = IdVector<ValueId, std::int32_t>(count, -1);
  IdVector<ValueId, bool> from_outside(count, false);
  for (const ValueId id : data_.inputs) is_input_[id] = from_outside[id] = true;
  for (const ValueId id : data_.captures) from_outside[id] = true;
  for (std::size_t i = 0; i < data_.initializers.size(); ++i) {
    initializer_index_[data_.initializers[i].value] = static_cast<std::int32_t>(i);
    from_outside[data_.initializers[i].value] = true;
  }
  for (const ValueId id : data_.outputs) is_output_[id] = true;
  set_producers(data_, from_outside);
  require_makers(data_, from_outside);
  topology_ = topology_of(data_);
  sort_nodes(data_, topology_);
}

const Initializer* Graph::initializer(ValueId id) const {
  const std::int32_t index = initializer_index_[id];
  return index < 0 ? nullptr : &data_.initializers[static_cast<std::size_t>(index)];
}

std::optional<ValueId> Graph::find_value(std::string_view name) const {
  for (const ValueId id : IdRange<ValueId>(data_.values.size())) {
    if (data_.values[id].name == name) return id;
  }
  return std::nullopt;
}

std::optional<NodeId> Graph::find_node(std::string_view name) const {
  for (const NodeId id : IdRange<NodeId>(data_.nodes.size())) {
    if (data_.nodes[id].name == name) return id;
  }
  return std::nullopt;
}

std::int64_t GraphData::opset(const std::string& domain) const {
  const auto found = opsets.find(domain);
  return found == opsets.end() ? 0 : found->second;
}

std::string describe(const Node& node, NodeId id) {
  const std::string name = node.name.empty() ? "node #" + std::to_string(id.index())
                                             : "node '" + printable(node.name) + "'";
  return name + " (" + printable(node.op_type, 60) + ")";
}

std::string describe(const Value& value) { return "tensor '" + printable(value.name) + "'"; }

std::optional<Expr> element_count(const TensorType& type) {
  if (!type.shape) return std::nullopt;
  Expr count = 1;
  for (const Expr& dim : *type.shape) count = count * dim;
  return count;
}

}  // namespace stashscope
