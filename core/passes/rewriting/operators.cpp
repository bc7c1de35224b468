#include "core/passes/rewriting/operators.h"

#include <algorithm>
#include <numeric>

#include "core/ops/rules/backward_builder.h"

namespace stashscope {

Node plain_node(std::string type, std::string name, std::vector<ValueId> inputs,
                Attributes attributes) {
  Node node;
  node.op_type = std::move(type);
  node.name = std::move(name);
  node.inputs = std::move(inputs);
  node.attributes = std::move(attributes);
  return node;
}

Node microsoft_node(std::string type, std::string name, std::vector<ValueId> inputs,
                    Attributes attributes) {
  Node node =
      plain_node(std::move(type), std::move(name), std::move(inputs), std::move(attributes));
  node.domain = microsoft_domain;
  return node;
}

bool is_standard_loss(const Node& node) {
  return is_one_of(node, {"SoftmaxCrossEntropyLoss", "NegativeLogLikelihoodLoss"});
}

bool is_internal_loss(const Node& node) {
  return node.domain == microsoft_domain && node.op_type == "SoftmaxCrossEntropyLossInternal";
}

std::optional<Integers> reduced_axes(const Rewriter& graph, const Node& node) {
  const Shape* const shape = graph.shape(node.inputs[0]);
  if (shape == nullptr) return std::nullopt;
  const std::int64_t rank = std::ssize(*shape);
  std::optional<Integers> axes = node.attributes.integers("axes");
  if (node.inputs.size() > 1 && node.inputs[1].valid()) axes = graph.integers(node.inputs[1]);
  if (!axes) return std::nullopt;
  if (axes->empty() && node.attributes.integer("noop_with_empty_axes", 0) == 0) {
    axes->resize(shape->size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  for (std::int64_t& axis : *axes) axis += axis < 0 ? rank : 0;
  std::ranges::sort(*axes);
  return axes;
}

Integers permutation_of(const Node& node, std::size_t rank) {
  Integers order = node.attributes.integers("perm");
  if (order.empty()) {
    order.resize(rank);
    std::iota(order.rbegin(), order.rend(), 0);
  }
  return order;
}

bool has_steps_of_one(const Rewriter& graph, const Node& node) {
  if (node.inputs.size() < 5 || !node.inputs[4].valid()) return true;
  const auto steps = graph.integers(node.inputs[4]);
  return steps && std::ranges::all_of(*steps, [](std::int64_t step) { return step == 1; });
}

void replace_dims(Rewriter& graph, NodeId shape, Node all, std::int64_t rank) {
  const Node before = graph.node(shape);
  if (before.attributes.items().empty()) return graph.replace(shape, std::move(all));
  all.name = before.name + "_all";
  const TensorType list = {ElementType::int64, Shape{rank}, {}};
  const ValueId whole = graph.insert_before(shape, std::move(all), list);
  const auto end = [&](const char* name, std::int64_t otherwise) {
    const std::int64_t axis = before.attributes.integer(name, otherwise);
    return graph.add_constant(before.name + "_" + name, Tensor::int64s({axis}));
  };
  graph.replace(shape, plain_node("Slice", "", {whole, end("start", 0), end("end", rank)}));
}

}  // namespace stashscope
