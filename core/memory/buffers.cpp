#include "core/memory/buffers.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/graph/captured_step.h"
#include "core/ops/families/standard_ops.h"

namespace stashscope {

namespace {

/// For each output of a node, its position in the node's row of a Topology. The row skips omitted
/// outputs.
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

/// @param is_given whether the value exists before the step
ValueRole role_as(CapturedRole role, bool is_given) {
  switch (role) {
    case CapturedRole::gradient:
      return ValueRole::gradient;
    case CapturedRole::optimizer_state:
      return ValueRole::optimizer_state;
    case CapturedRole::parameter:
      return is_given ? ValueRole::parameter : ValueRole::activation;
    case CapturedRole::buffer:
      return is_given ? ValueRole::constant : ValueRole::activation;
    case CapturedRole::input:
    case CapturedRole::other:
      return is_given ? ValueRole::input : ValueRole::activation;
  }
  return ValueRole::activation;
}

/// Whether FSDP2 gathers parameters of all ranks into the node's outputs.
bool gathers_parameters(const Node& node) {
  return node.domain == "pytorch.fsdp" &&
         (node.op_type == "all_gather_copy_in" || node.op_type == "split_with_sizes_copy");
}

void add_gathered_parameters(const Graph& graph, const CapturedStep& captured, BufferRules& rules) {
  IdVector<StorageId, bool> is_gathered(captured.storages.size(), false);
  for (const Node& node : graph.nodes()) {
    if (!gathers_parameters(node)) continue;
    for (const ValueId output : node.outputs) is_gathered[captured.storage_of[output]] = true;
  }
  for (const ValueId id : IdRange<ValueId>(graph.values().size())) {
    if (!is_gathered[captured.storage_of[id]] || rules.role[id] != ValueRole::activation) continue;
    rules.role[id] = ValueRole::gathered_parameter;
  }
}

void add_captured_rules(const Graph& graph, const CapturedStep& captured, BufferRules& rules) {
  rules.held_until.reserve(graph.values().size());
  rules.replaces_state.reserve(graph.values().size());
  for (const ValueId id : IdRange<ValueId>(graph.values().size())) {
    const CapturedStorage& storage = captured.storages[captured.storage_of[id]];
    rules.held_until.push_back(storage.last);
    rules.replaces_state.push_back(storage.replaces_state);
    rules.role[id] = role_as(captured.role_of(id), rules.is_given[id]);
  }
  add_gathered_parameters(graph, captured, rules);
  if (captured.saved.empty()) return;
  rules.held_by_script = IdVector<ValueId, bool>(graph.values().size(), true);
  IdVector<StorageId, bool> is_saved(captured.storages.size(), false);
  for (const SavedTensor& each : captured.saved) is_saved[each.storage] = true;
  for (const ValueId id : IdRange<ValueId>(graph.values().size())) {
    if (is_saved[captured.storage_of[id]]) rules.held_by_script[id] = false;
  }
}

}  // namespace

BufferRules buffer_rules(const Graph& graph, const IdVector<NodeId, const Op*>& ops,
                         const std::vector<ValueId>& parameters,
                         const std::vector<ValueId>& gradients) {
  BufferRules rules;
  rules.role = IdVector<ValueId, ValueRole>(graph.values().size(), ValueRole::activation);
  rules.is_output = IdVector<ValueId, bool>(graph.values().size(), false);
  rules.is_given = IdVector<ValueId, bool>(graph.values().size(), false);
  const auto give = [&](ValueId id, ValueRole role) {
    rules.role[id] = role;
    rules.is_given[id] = true;
  };
  for (const ValueId id : graph.data().inputs) give(id, ValueRole::input);
  for (const ValueId id : graph.data().captures) give(id, ValueRole::input);
  for (const Initializer& each : graph.data().initializers) give(each.value, ValueRole::constant);
  for (const ValueId id : parameters) rules.role[id] = ValueRole::parameter;
  for (const ValueId id : gradients) {
    if (id.valid()) rules.role[id] = ValueRole::gradient;
  }
  if (graph.data().captured) add_captured_rules(graph, *graph.data().captured, rules);
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

/// Bytes of the elements; nothing if a dimension has no value.
std::optional<std::int64_t> packed_bytes(const TensorType& type, const Bindings& bindings) {
  std::vector<std::int64_t> dims;
  for (const Expr& dim : *type.shape) {
    const auto number = dim.evaluate(bindings);
    if (!number) return std::nullopt;
    dims.push_back(*number);
  }
  return packed_bytes(type.element, element_count(dims));
}

/// Whether an input of the value's producer lies in the same storage.
bool shares_storage_of_input(const Graph& graph, const CapturedStep& captured, ValueId id) {
  const NodeId producer = graph.value(id).producer;
  return producer.valid() && std::ranges::any_of(graph.node(producer).inputs, [&](ValueId input) {
           return captured.storage_of[input] == captured.storage_of[id];
         });
}

/// In a captured step, the first value of a storage has the bytes that PyTorch allocates for the
/// storage. A later value has the bytes of its elements if it is made from a value of the storage,
/// else 0.
std::optional<std::int64_t> bytes_of(const Graph& graph, ValueId id, const Bindings& bindings) {
  const CapturedStep* const captured = graph.data().captured.get();
  if (captured == nullptr) return packed_bytes(graph.value(id).type, bindings);
  if (captured->is_root(id)) {
    const auto bytes = captured->storages[captured->storage_of[id]].bytes.evaluate(bindings);
    if (bytes && *bytes < 0) fail_input("", "takes a negative number of bytes");
    return bytes;
  }
  if (!shares_storage_of_input(graph, *captured, id)) return 0;
  return packed_bytes(graph.value(id).type, bindings);
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
      const auto size = bytes_of(graph, id, bindings);
      if (size) {
        bytes[id] = *size;
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
