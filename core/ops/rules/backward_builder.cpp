#include "core/ops/rules/backward_builder.h"

#include <algorithm>

namespace stashscope {

BackwardBuilder::BackwardBuilder(GraphData forward)
    : data_(std::move(forward)), forward_nodes_(data_.nodes.size()) {
  for (const Value& value : data_.values) names_.insert(value.name);
}

ValueId BackwardBuilder::new_value(const std::string& name, TensorType type) {
  return data_.add_value(unused(name), std::move(type));
}

std::vector<ValueId> BackwardBuilder::add(const std::string& scope, std::string_view domain,
                                          std::string_view op_type, std::vector<ValueId> inputs,
                                          const std::vector<bool>& outputs, Attributes attributes) {
  std::vector<ValueId> made(outputs.size());
  if (std::find(outputs.begin(), outputs.end(), true) == outputs.end()) return made;
  Node node;
  node.name =
      scope + "_Grad/" + std::string(op_type) + "_" + std::to_string(next_in_scope_[scope]++);
  node.domain = domain;
  node.op_type = op_type;
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  data_.opsets.try_emplace(node.domain, 1);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string name = node.name + "_output_" + std::to_string(i);
    node.outputs.push_back(outputs[i] ? new_value(name, {}) : ValueId());
  }
  while (!node.outputs.back().valid()) node.outputs.pop_back();
  std::copy(node.outputs.begin(), node.outputs.end(), made.begin());
  backward_.push_back(std::move(node));
  return made;
}

ValueId BackwardBuilder::forward_output(NodeId node, std::size_t index, TensorType type) {
  Node& forward = data_.nodes[node];
  if (forward.outputs.size() <= index) forward.outputs.resize(index + 1);
  if (!forward.outputs[index].valid()) {
    const auto named = std::ranges::find_if(forward.outputs, &ValueId::valid);
    const std::string base = !forward.name.empty()            ? forward.name
                             : named == forward.outputs.end() ? forward.op_type
                                                              : data_.values[*named].name;
    forward.outputs[index] = new_value(base + "_saved_" + std::to_string(index), std::move(type));
  }
  return forward.outputs[index];
}

ValueId BackwardBuilder::int64s(const std::vector<std::int64_t>& items) {
  const auto [entry, is_new] = int64_constants_.try_emplace(items);
  if (is_new) entry->second = data_.add_initializer(unused("backward_ints"), Tensor::int64s(items));
  return entry->second;
}

ValueId BackwardBuilder::scalar(ElementType element, double item) {
  const auto [entry, is_new] = scalars_.try_emplace({element, item});
  if (is_new) {
    entry->second =
        data_.add_initializer(unused("backward_scalar"), Tensor::float_scalar(element, item));
  }
  return entry->second;
}

ValueId BackwardBuilder::shape_of(ValueId value) {
  const TensorType& known = data_.values[value].type;
  if (known.shape) {
    std::vector<std::int64_t> numbers;
    for (const Expr& dim : *known.shape) {
      if (const auto number = dim.integer()) numbers.push_back(*number);
    }
    if (numbers.size() == known.shape->size()) return int64s(numbers);
  }
  const auto [entry, is_new] = shapes_.try_emplace(value);
  if (!is_new) return entry->second;
  Node node;
  node.name = data_.values[value].name + "_shape_for_backward";
  node.op_type = "Shape";
  node.inputs = {value};
  entry->second = new_value(node.name + "_output", {});
  node.outputs = {entry->second};
  const NodeId producer = data_.values[value].producer;
  helpers_.emplace(producer.valid() ? producer.index() : 0, std::move(node));
  return entry->second;
}

GraphData BackwardBuilder::finish(Node between, std::vector<ValueId> outputs) {
  IdVector<NodeId, Node> nodes;
  nodes.reserve(forward_nodes_ + helpers_.size() + 1 + backward_.size());
  const auto add_helpers_of = [&](std::size_t index) {
    const auto [first, last] = helpers_.equal_range(index);
    for (auto helper = first; helper != last; ++helper) nodes.push_back(std::move(helper->second));
  };
  for (std::size_t i = 0; i < forward_nodes_; ++i) {
    nodes.push_back(std::move(data_.nodes[NodeId(i)]));
    add_helpers_of(i);
  }
  data_.opsets.try_emplace(between.domain, 1);
  nodes.push_back(std::move(between));
  for (Node& node : backward_) nodes.push_back(std::move(node));
  data_.nodes = std::move(nodes);
  data_.outputs = std::move(outputs);
  return std::move(data_);
}

}  // namespace stashscope
