#include "core/memory/buffers.h"

#include "core/base/error.h"
#include "core/ops/families/standard_ops.h"

namespace stashscope {

namespace {

/// Positions of outputs within a row of a Topology, which skips a node's omitted outputs.
std::vector<std::optional<std::uint16_t>> row_positions(const Node& node) {
  std::vector<std::optional<std::uint16_t>> positions;
  std::uint16_t next = 0;
  for (const ValueId output : node.outputs) {
    positions.push_back(output.valid() ? std::optional(next++) : std::nullopt);
  }
  return positions;
}

bool same_type(const Graph& graph, ValueId a, ValueId b) {
  const TensorType& left = graph.value(a).type;
  const TensorType& right = graph.value(b).type;
  return left.element == right.element && left.shape && left.shape == right.shape;
}

void add_shares(const Graph& graph, const Node& node, const Op* op, BufferRules& rules) {
  rules.aliases.start_row();
  rules.in_place.start_row();
  if (op == nullptr) return;
  const auto positions = row_positions(node);
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (op->alias == nullptr || !positions[i]) continue;
    const auto input = op->alias(graph, node, i);
    if (input && *input < node.inputs.size() && node.inputs[*input].valid()) {
      rules.aliases.push({static_cast<std::uint16_t>(*input), *positions[i]});
    }
  }
  for (const InPlace& each : op->in_place) {
    const bool present = each.input < node.inputs.size() && node.inputs[each.input].valid() &&
                         each.output < node.outputs.size() && positions[each.output];
    if (present && same_type(graph, node.inputs[each.input], node.outputs[each.output])) {
      rules.in_place.push({static_cast<std::uint16_t>(each.input), *positions[each.output]});
    }
  }
}

}  // namespace

BufferRules buffer_rules(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                         const std::vector<ValueId>& parameters,
                         const std::vector<ValueId>& gradients) {
  BufferRules rules;
  rules.role = IdVector<ValueId, ValueRole>(graph.values().size(), ValueRole::activation);
  rules.is_output = IdVector<ValueId, bool>(graph.values().size(), false);
  for (const ValueId id : graph.data().inputs) rules.role[id] = ValueRole::input;
  for (const ValueId id : graph.data().captures) rules.role[id] = ValueRole::input;
  for (const Initializer& each : graph.data().initializers) {
    rules.role[each.value] = ValueRole::constant;
  }
  for (const ValueId id : parameters) rules.role[id] = ValueRole::parameter;
  for (const ValueId id : gradients) {
    if (id.valid()) rules.role[id] = ValueRole::gradient;
  }
  for (const ValueId id : graph.data().outputs) rules.is_output[id] = true;
  for (const NodeId id : IdRange<NodeId>(graph.nodes().size())) {
    add_shares(graph, graph.node(id), ops[id], rules);
  }
  return rules;
}

bool lives_on_host(const Graph& graph, ValueId value) {
  const NodeId producer = graph.value(value).producer;
  if (!producer.valid()) return false;
  const Op* const op = standard_ops().find(graph.node(producer));
  return op != nullptr && op->output_on_host;
}

namespace {

/// Whether no node makes or reads the value, and the graph neither takes nor returns it. Passes may
/// leave such values.
bool is_left_over(const Graph& graph, ValueId value) {
  return !graph.value(value).producer.valid() && graph.topology().readers[value].empty() &&
         !graph.is_graph_input(value) && !graph.is_graph_output(value);
}

}  // namespace

IdVector<ValueId, std::int64_t> value_bytes(const Graph& graph, const Bindings& bindings,
                                            std::vector<ValueId>& unknown) {
  IdVector<ValueId, std::int64_t> bytes(graph.values().size(), 0);
  for (const ValueId id : IdRange<ValueId>(graph.values().size())) {
    const Value& value = graph.value(id);
    if (lives_on_host(graph, id)) continue;
    if (!value.type.shape) {
      if (!is_left_over(graph, id)) unknown.push_back(id);
      continue;
    }
    try {
      std::vector<std::int64_t> dims;
      for (const Expr& dim : *value.type.shape) {
        const auto number = dim.evaluate(bindings);
        if (number) dims.push_back(*number);
      }
      if (dims.size() == value.type.shape->size()) {
        bytes[id] = packed_bytes(value.type.element, element_count(dims));
      } else {
        unknown.push_back(id);
      }
    } catch (const Error& error) {
      throw error.within(describe(value));
    }
  }
  return bytes;
}

}  // namespace stashscope
