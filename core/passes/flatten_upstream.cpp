#include "core/passes/flatten_upstream.h"

#include <algorithm>

#include "core/ops/rules/elementwise.h"
#include "core/passes/rewriting/operators.h"

namespace stashscope {

namespace {

/// Indices of the inputs whose leading axes are merged, too. The other inputs lack these axes.
using OperandIndices = std::vector<std::size_t>;

std::size_t kept_axes(const Rewriter& graph, NodeId reshape) {
  return graph.shape(graph.node(reshape).outputs[0])->size() - 1;
}

/// Whether the last `kept` dims, after the merged axes, are positive numbers, which a constant
/// Reshape operand can hold.
bool has_numbered_tail(const Shape& shape, std::size_t kept) {
  return std::all_of(shape.end() - static_cast<std::ptrdiff_t>(kept), shape.end(),
                     [](const Expr& dim) { return dim.integer().value_or(0) > 0; });
}

bool has_leading_axes(const Shape& shape, const Shape& whole, std::size_t kept) {
  const auto leading = static_cast<std::ptrdiff_t>(whole.size() - kept);
  return shape.size() == whole.size() &&
         std::equal(whole.begin(), whole.begin() + leading, shape.begin());
}

std::optional<OperandIndices> elementwise_operands(const Rewriter& graph, const Node& node,
                                                   std::size_t kept) {
  const Shape& whole = *graph.shape(node.outputs[0]);
  OperandIndices operands;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].valid()) continue;
    const Shape* const shape = graph.shape(node.inputs[i]);
    if (shape == nullptr) return std::nullopt;
    if (shape->size() <= kept) continue;
    if (!has_leading_axes(*shape, whole, kept)) return std::nullopt;
    operands.push_back(i);
  }
  return operands;
}

/// The left operand, if it is a stack of matrices, the right operand is a single matrix and only
/// the last axis is kept; else nothing.
std::optional<OperandIndices> matmul_operands(const Rewriter& graph, const Node& node,
                                              std::size_t kept) {
  const Shape* const left = graph.shape(node.inputs[0]);
  const Shape* const right = graph.shape(node.inputs[1]);
  if (left == nullptr || right == nullptr || right->size() != 2 || kept != 1) return std::nullopt;
  return left->size() < 3 ? std::nullopt : std::optional(OperandIndices{0});
}

/// The normalized axes must come after the merged axes.
std::optional<OperandIndices> normalization_operands(const Rewriter& graph, const Node& node,
                                                     std::size_t kept) {
  const auto rank = std::ssize(*graph.shape(node.outputs[0]));
  const std::int64_t axis = node.attributes.integer("axis", -1);
  const std::int64_t normalized = axis < 0 ? -axis : rank - axis;
  if (normalized > static_cast<std::int64_t>(kept)) return std::nullopt;
  return OperandIndices{0};
}

bool is_normalization(const Node& node) {
  return node.domain.empty() &&
         (node.op_type == "LayerNormalization" || node.op_type == "SimplifiedLayerNormalization");
}

std::optional<OperandIndices> operands_of(const Rewriter& graph, const Node& node,
                                          std::size_t kept) {
  if (is_elementwise(node)) return elementwise_operands(graph, node, kept);
  if (is_normalization(node)) return normalization_operands(graph, node, kept);
  if (node.domain.empty() && node.op_type == "MatMul") return matmul_operands(graph, node, kept);
  return std::nullopt;
}

ValueId flattened(Rewriter& graph, NodeId place, ValueId operand, std::size_t kept) {
  const Expr rows = graph.shape(graph.node(place).outputs[0])->front();
  TensorType type = graph.type(operand);
  type.shape->erase(type.shape->begin(), type.shape->end() - static_cast<std::ptrdiff_t>(kept));
  std::vector<std::int64_t> dims = {-1};
  for (const Expr& dim : *type.shape) dims.push_back(dim.integer().value());
  type.shape->insert(type.shape->begin(), rows);
  const std::string name = graph.value(operand).name + "_flattened";
  const ValueId target = graph.add_constant(name + "_dims", Tensor::int64s(dims));
  return graph.insert_before(place, plain_node("Reshape", name, {operand, target}),
                             std::move(type));
}

}  // namespace

bool merges_leading_axes(const Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (!node.domain.empty() || node.op_type != "Reshape" || node.inputs.size() != 2) return false;
  const Shape* const from = graph.shape(node.inputs[0]);
  const Shape* const to = graph.shape(node.outputs[0]);
  if (from == nullptr || to == nullptr || to->empty() || from->size() <= to->size()) return false;
  return std::equal(to->begin() + 1, to->end(), from->end() - (std::ssize(*to) - 1)) &&
         has_numbered_tail(*to, to->size() - 1);
}

bool flatten_upstream(Rewriter& graph, NodeId reshape) {
  if (!merges_leading_axes(graph, reshape)) return false;
  const ValueId input = graph.node(reshape).inputs[0];
  const NodeId above = graph.maker(input);
  if (!above.valid() || !graph.is_only_for(input, reshape)) return false;
  if (!graph.only_first_output_is_read(above)) return false;
  const std::size_t kept = kept_axes(graph, reshape);
  const auto operands = operands_of(graph, graph.node(above), kept);
  if (!operands || operands->empty()) return false;
  Node lowered = graph.node(above);
  for (const std::size_t i : *operands) {
    if (!has_numbered_tail(*graph.shape(lowered.inputs[i]), kept)) return false;
  }
  for (const std::size_t i : *operands) {
    lowered.inputs[i] = flattened(graph, reshape, lowered.inputs[i], kept);
  }
  if (is_normalization(lowered)) {
    const auto rank = std::ssize(*graph.shape(input));
    const std::int64_t axis = lowered.attributes.integer("axis", -1);
    lowered.attributes.set("axis", axis < 0 ? axis : axis - rank);
  }
  lowered.outputs.clear();
  graph.replace(reshape, std::move(lowered));
  return true;
}

}  // namespace stashscope
