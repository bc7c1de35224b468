#include "core/passes/rewriting/rewriter.h"

#include <algorithm>

#include "core/base/unused_name.h"
#include "core/graph/traversal.h"
#include "core/ops/families/standard_ops.h"
#include "core/ops/rules/contents.h"
#include "core/ops/rules/op.h"

namespace stashscope {

Rewriter::Rewriter(const Graph& graph, const std::vector<ValueId>& trained)
    : original_(graph),
      data_(graph.data()),
      original_nodes_(data_.nodes.size()),
      removed_(data_.nodes.size(), false),
      readers_(data_.values.size()),
      is_output_(data_.values.size(), false),
      is_captured_(data_.values.size(), false),
      varies_(data_.values.size(), false),
      initializer_(data_.values.size(), -1) {
  for (const ValueId id : data_.outputs) is_output_[id] = true;
  for (std::size_t i = 0; i < data_.initializers.size(); ++i) {
    initializer_[data_.initializers[i].value] = static_cast<std::int32_t>(i);
  }
  for (const NodeId id : IdRange<NodeId>(original_nodes_)) {
    for (const ValueId input : data_.nodes[id].inputs) link(id, input);
    for (const ValueId captured : data_.nodes[id].captured_inputs) is_captured_[captured] = true;
  }
  mark_varying(trained);
}

void Rewriter::mark_varying(const std::vector<ValueId>& trained) {
  for (const ValueId id : data_.inputs) varies_[id] = true;
  for (const ValueId id : trained) varies_[id] = true;
  const auto ops = resolve_ops(original_);
  for (const NodeId id : IdRange<NodeId>(original_nodes_)) {
    const Node& node = data_.nodes[id];
    // A shape depends on the dims of a tensor, but not on the elements.
    if (node.domain.empty() && (node.op_type == "Shape" || node.op_type == "Size")) continue;
    const auto varies = [&](ValueId input) { return input.valid() && varies_[input]; };
    const bool any = std::any_of(node.inputs.begin(), node.inputs.end(), varies) ||
                     !node.captured_inputs.empty() || ops[id] == nullptr || ops[id]->random;
    for (const ValueId output : node.outputs) {
      if (output.valid()) varies_[output] = any;
    }
  }
}

const Shape* Rewriter::shape(ValueId id) const {
  if (!id.valid() || !data_.values[id].type.shape) return nullptr;
  return &*data_.values[id].type.shape;
}

std::int64_t Rewriter::opset() const {
  const auto found = data_.opsets.find("");
  return found == data_.opsets.end() ? 1 : found->second;
}

bool Rewriter::is_only_for(ValueId id, NodeId reader) const {
  return !keeps(id) && readers_[id].size() == 1 && readers_[id][0] == reader;
}

const Tensor* Rewriter::constant(ValueId id) const {
  if (!id.valid() || varies_[id] || initializer_[id] < 0) return nullptr;
  return &data_.initializers[static_cast<std::size_t>(initializer_[id])].tensor;
}

const std::vector<Expr>* Rewriter::contents(ValueId id) const {
  return id.valid() && !varies_[id] ? data_.values[id].contents.get() : nullptr;
}

std::optional<std::vector<std::int64_t>> Rewriter::integers(ValueId id) const {
  const Tensor* const tensor = constant(id);
  if (tensor != nullptr && tensor->has_data()) return tensor->integers();
  return integers_of(contents(id));
}

std::optional<double> Rewriter::scalar(ValueId id) const {
  if (const std::vector<Expr>* const known = contents(id)) {
    if (known->size() != 1) return std::nullopt;
    const auto number = known->front().constant();
    return number ? std::optional(number->to_double()) : std::nullopt;
  }
  const Tensor* const tensor = constant(id);
  if (tensor == nullptr || !tensor->has_data() || tensor->elements() != 1) return std::nullopt;
  if (const auto reals = tensor->reals()) return reals->front();
  if (const auto whole = tensor->integers()) return static_cast<double>(whole->front());
  return std::nullopt;
}

void Rewriter::freeze(ValueId id) {
  if (initializer_[id] < 0) return;
  data_.initializers[static_cast<std::size_t>(initializer_[id])].is_literal = true;
  varies_[id] = false;
}

void Rewriter::link(NodeId reader, ValueId value) {
  if (!value.valid()) return;
  std::vector<NodeId>& list = readers_[value];
  if (std::find(list.begin(), list.end(), reader) == list.end()) list.push_back(reader);
}

void Rewriter::unlink(NodeId reader, ValueId value) {
  std::vector<NodeId> emptied;
  forget_read(reader, value, emptied);
  remove_unread(std::move(emptied));
}

void Rewriter::forget_read(NodeId reader, ValueId value, std::vector<NodeId>& emptied) {
  if (!value.valid()) return;
  const auto& inputs = data_.nodes[reader].inputs;
  if (std::find(inputs.begin(), inputs.end(), value) != inputs.end()) return;
  std::erase(readers_[value], reader);
  if (const NodeId made_by = maker(value); made_by.valid()) emptied.push_back(made_by);
}

bool Rewriter::only_first_output_is_read(NodeId id) const {
  const auto& outputs = data_.nodes[id].outputs;
  return std::none_of(outputs.begin() + 1, outputs.end(),
                      [&](ValueId output) { return output.valid() && is_read(output); });
}

bool Rewriter::is_needed(NodeId id) const {
  const auto& outputs = data_.nodes[id].outputs;
  return std::any_of(outputs.begin(), outputs.end(), [&](ValueId output) {
    return output.valid() && data_.values[output].producer == id && is_read(output);
  });
}

/// A loop, because chains of nodes may be too long for recursion.
void Rewriter::remove_unread(std::vector<NodeId> candidates) {
  while (!candidates.empty()) {
    const NodeId id = candidates.back();
    candidates.pop_back();
    if (removed_[id] || is_needed(id)) continue;
    removed_[id] = true;
    const std::vector<ValueId> inputs = std::exchange(data_.nodes[id].inputs, {});
    for (const ValueId input : inputs) forget_read(id, input, candidates);
  }
}

void Rewriter::replace(NodeId last, Node fused) {
  Node& node = data_.nodes[last];
  if (fused.name.empty()) fused.name = node.name;
  if (fused.doc_string.empty()) fused.doc_string = node.doc_string;
  if (fused.origin == nullptr) fused.origin = node.origin;
  if (fused.outputs.empty()) fused.outputs = node.outputs;
  data_.opsets.try_emplace(fused.domain, 1);
  for (const ValueId input : fused.inputs) link(last, input);
  const std::vector<ValueId> old = std::exchange(node, std::move(fused)).inputs;
  for (const ValueId output : node.outputs) {
    if (output.valid()) data_.values[output].producer = last;
  }
  for (const ValueId input : old) unlink(last, input);
}

void Rewriter::set_input(NodeId id, std::size_t index, ValueId value) {
  link(id, value);
  const ValueId old = std::exchange(data_.nodes[id].inputs[index], value);
  if (old != value) unlink(id, old);
}

void Rewriter::redirect(ValueId from, ValueId to) {
  const std::vector<NodeId> readers = readers_[from];
  for (const NodeId reader : readers) {
    for (std::size_t i = 0; i < data_.nodes[reader].inputs.size(); ++i) {
      if (data_.nodes[reader].inputs[i] == from) set_input(reader, i, to);
    }
  }
}

void Rewriter::make_constant(ValueId id, Tensor tensor) {
  const NodeId old = maker(id);
  data_.nodes[old].outputs.clear();
  data_.values[id].producer = NodeId();
  remove_unread({old});
  initializer_[id] = static_cast<std::int32_t>(data_.initializers.size());
  data_.initializers.push_back({id, std::move(tensor), true});
  varies_[id] = false;
}

ValueId Rewriter::new_value(const std::string& name, TensorType type) {
  const ValueId id = data_.add_value(unique(name), std::move(type));
  readers_.push_back({});
  is_output_.push_back(false);
  is_captured_.push_back(false);
  varies_.push_back(false);
  initializer_.push_back(-1);
  return id;
}

NodeId Rewriter::append(Node node, TensorType type) {
  data_.opsets.try_emplace(node.domain, 1);
  node.name = unique_node(node.name);
  const ValueId output = new_value(node.name + "_output", std::move(type));
  node.outputs = {output};
  const std::vector<ValueId> inputs = node.inputs;
  const NodeId id = data_.nodes.push_back(std::move(node));
  removed_.push_back(false);
  data_.values[output].producer = id;
  for (const ValueId input : inputs) {
    link(id, input);
    if (input.valid() && varies_[input]) varies_[output] = true;
  }
  return id;
}

ValueId Rewriter::insert_before(NodeId place, Node node, TensorType type) {
  const NodeId id = append(std::move(node), std::move(type));
  const auto known = place_.find(place);
  const std::size_t at = known == place_.end() ? place.index() : known->second;
  std::vector<NodeId>& list = before_[at];
  list.insert(std::find(list.begin(), list.end(), place), id);
  place_[id] = at;
  return data_.nodes[id].outputs[0];
}

ValueId Rewriter::insert_after(NodeId place, Node node, TensorType type) {
  const NodeId id = append(std::move(node), std::move(type));
  const auto known = place_.find(place);
  const std::size_t at = known == place_.end() ? place.index() + 1 : known->second;
  std::vector<NodeId>& list = before_[at];
  const auto found = std::find(list.begin(), list.end(), place);
  list.insert(found == list.end() ? list.begin() : found + 1, id);
  place_[id] = at;
  return data_.nodes[id].outputs[0];
}

ValueId Rewriter::add_constant(const std::string& name, Tensor tensor) {
  TensorType type{tensor.element(), Shape(), {}};
  for (const std::int64_t dim : tensor.dims()) type.shape->push_back(dim);
  const ValueId id = new_value(name, std::move(type));
  initializer_[id] = static_cast<std::int32_t>(data_.initializers.size());
  data_.initializers.push_back({id, std::move(tensor), true});
  return id;
}

ValueId Rewriter::add_output(NodeId id, const std::string& name, TensorType type) {
  const ValueId output = new_value(name, std::move(type));
  data_.values[output].producer = id;
  varies_[output] = true;
  data_.nodes[id].outputs.push_back(output);
  return output;
}

void Rewriter::hand_over(ValueId output, NodeId maker) {
  std::vector<ValueId>& before = data_.nodes[data_.values[output].producer].outputs;
  std::ranges::replace(before, output, ValueId());
  const ValueId old = data_.nodes[maker].outputs[0];
  data_.values[old].producer = NodeId();
  data_.nodes[maker].outputs = {output};
  data_.values[output].producer = maker;
  redirect(old, output);
}

void Rewriter::set_attribute(NodeId id, std::string name, AttributeValue value) {
  data_.nodes[id].attributes.set(std::move(name), std::move(value));
}

void Rewriter::set_packed_tokens(PackedTokens packed) {
  data_.packed_tokens = std::make_shared<const PackedTokens>(packed);
}

void Rewriter::drop_output(ValueId id) {
  std::erase(data_.outputs, id);
  is_output_[id] = false;
  if (const NodeId made_by = maker(id); made_by.valid()) remove_unread({made_by});
}

// Most passes add no names, so the sets of names are filled on first use.

std::string Rewriter::unique(const std::string& name) {
  if (names_.empty()) {
    for (const Value& value : data_.values) names_.insert(value.name);
  }
  return unused_name(name, names_);
}

std::string Rewriter::unique_node(const std::string& name) {
  if (node_names_.empty()) {
    for (const Node& node : data_.nodes) node_names_.insert(node.name);
  }
  return unused_name(name, node_names_);
}

Graph Rewriter::finish() {
  // One sweep is enough in any order, because removing a node also removes the producers that only
  // this node read.
  for (std::size_t i = data_.nodes.size(); i-- > 0;) remove_unread({NodeId(i)});
  IdVector<NodeId, Node> nodes;
  const auto add = [&](NodeId id) {
    if (!removed_[id]) nodes.push_back(std::move(data_.nodes[id]));
  };
  for (std::size_t i = 0; i <= original_nodes_; ++i) {
    if (const auto inserted = before_.find(i); inserted != before_.end()) {
      for (const NodeId id : inserted->second) add(id);
    }
    if (i < original_nodes_) add(NodeId(i));
  }
  data_.nodes = std::move(nodes);
  std::erase_if(data_.initializers,
                [&](const Initializer& each) { return each.is_literal && !is_read(each.value); });
  return Graph(std::move(data_));
}

}  // namespace stashscope
