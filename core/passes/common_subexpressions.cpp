// Merges nodes that compute the same results from the same inputs.

#include <unordered_map>

#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/op.h"
#include "core/passes/graph_pass.h"

namespace stashscope {

namespace {

/// Larger constants are rarely equal and not worth a comparison.
constexpr std::int64_t max_compared_bytes = 1024;

void append(std::string& key, std::string_view part) {
  key += part;
  key += '\0';
}

void append_tensor(std::string& key, const Tensor& tensor) {
  append(key, name_of(tensor.element()));
  for (const std::int64_t dim : tensor.dims()) append(key, std::to_string(dim));
  const TensorBytes data = tensor.load();
  key.append(reinterpret_cast<const char*>(data.bytes.data()), data.bytes.size());
}

bool is_comparable(const Tensor& tensor) {
  return tensor.has_data() && tensor.string_items() == nullptr &&
         tensor.external_data() == nullptr && tensor.size_in_bytes() <= max_compared_bytes;
}

/// Appends an attribute's value to the key. Equal values give equal text. Returns false for values
/// that cannot be compared.
struct AttributeKey {
  std::string& key;

  bool operator()(std::int64_t item) const { return add(std::to_string(item)); }
  bool operator()(float item) const {
    key.append(reinterpret_cast<const char*>(&item), sizeof item);
    return true;
  }
  bool operator()(const std::string& item) const { return add(item); }
  bool operator()(const Integers& items) const { return add_all(items); }
  bool operator()(const Floats& items) const { return add_all(items); }
  bool operator()(const Strings& items) const { return add_all(items); }
  bool operator()(const Tensor& tensor) const {
    if (!is_comparable(tensor)) return false;
    append_tensor(key, tensor);
    return true;
  }
  bool operator()(const Subgraph&) const { return false; }
  bool operator()(const OpaqueAttribute&) const { return false; }

 private:
  bool add(std::string_view text) const {
    append(key, text);
    return true;
  }
  template <class List>
  bool add_all(const List& items) const {
    for (const auto& item : items) (*this)(item);
    append(key, "]");
    return true;
  }
};

/// A key that is equal for nodes that compute the same results; empty if a node cannot be merged.
std::string key_of(const Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  const Op* const op = standard_ops().find(node);
  if (op == nullptr || op->random || !node.captured_inputs.empty()) return "";
  std::string key;
  append(key, node.domain);
  append(key, node.op_type);
  for (const ValueId input : node.inputs) {
    append(key, input.valid() ? std::to_string(input.index()) : "");
  }
  for (const ValueId output : node.outputs) append(key, output.valid() ? "made" : "left out");
  for (const auto& [name, value] : node.attributes.items()) {
    append(key, name);
    if (!std::visit(AttributeKey{key}, value)) return "";
  }
  return key;
}

/// Merges equal small literals, so that nodes that read different copies get equal keys.
std::size_t merge_constants(Rewriter& graph) {
  std::unordered_map<std::string, ValueId> first;
  std::vector<std::pair<ValueId, ValueId>> merged;
  for (const Initializer& each : graph.initializers()) {
    if (!each.is_literal || graph.keeps(each.value) || !is_comparable(each.tensor)) continue;
    std::string key;
    append_tensor(key, each.tensor);
    const auto [entry, is_new] = first.try_emplace(std::move(key), each.value);
    if (!is_new) merged.emplace_back(each.value, entry->second);
  }
  for (const auto& [from, to] : merged) graph.redirect(from, to);
  return merged.size();
}

bool merge(Rewriter& graph, NodeId id, NodeId first) {
  const std::vector<ValueId> outputs = graph.node(id).outputs;
  const std::vector<ValueId>& kept = graph.node(first).outputs;
  for (const ValueId output : outputs) {
    if (output.valid() && graph.keeps(output)) return false;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].valid()) graph.redirect(outputs[i], kept[i]);
  }
  return true;
}

}  // namespace

std::size_t merge_common_subexpressions(Rewriter& graph, const PassContext&) {
  merge_constants(graph);
  std::size_t merged = 0;
  std::unordered_map<std::string, NodeId> first;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
    if (graph.is_removed(id)) continue;
    std::string key = key_of(graph, id);
    if (key.empty()) continue;
    const auto [entry, is_new] = first.try_emplace(std::move(key), id);
    if (!is_new) merged += merge(graph, id, entry->second);
  }
  return merged;
}

}  // namespace stashscope
