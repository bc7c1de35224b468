// Folds transpositions of operands, and scale factors of operands and results, into FusedMatMul.

#include <cmath>

#include "core/passes/graph_pass.h"

namespace stashscope {

namespace {

bool is_product(const Node& node) {
  return (node.domain.empty() && node.op_type == "MatMul") ||
         (node.domain == "com.microsoft" && node.op_type == "FusedMatMul");
}

/// `product` as a FusedMatMul, which has transposition flags and a factor.
Node as_fused(const Node& product) {
  Node node = product;
  node.name.clear();
  node.outputs.clear();
  if (node.op_type == "FusedMatMul") return node;
  node.domain = "com.microsoft";
  node.op_type = "FusedMatMul";
  node.attributes = {{"transA", std::int64_t{0}},
                     {"transB", std::int64_t{0}},
                     {"transBatchA", std::int64_t{0}},
                     {"transBatchB", std::int64_t{0}},
                     {"alpha", 1.0F}};
  return node;
}

/// Whether a node swaps exactly the last two axes of its input.
bool swaps_matrix(const Rewriter& graph, const Node& node) {
  if (!node.domain.empty() || node.op_type != "Transpose") return false;
  const Shape* const shape = graph.shape(node.inputs[0]);
  if (shape == nullptr || shape->size() < 2) return false;
  Integers swapped;
  for (std::size_t i = 0; i < shape->size(); ++i) swapped.push_back(static_cast<std::int64_t>(i));
  std::swap(swapped[shape->size() - 2], swapped[shape->size() - 1]);
  const Integers order = node.attributes.integers("perm");
  return order == swapped || (order.empty() && shape->size() == 2);
}

bool is_matrix(const Rewriter& graph, ValueId id) {
  return graph.shape(id) != nullptr && graph.shape(id)->size() >= 2;
}

/// FusedMatMul has no gradient rule for vectors.
bool multiplies_matrices(const Rewriter& graph, const Node& product) {
  return is_matrix(graph, product.inputs[0]) && is_matrix(graph, product.inputs[1]);
}

/// Whether transBatch moves the batch axes of an operand between its rows and columns. Rows and
/// columns cannot be swapped then.
bool moves_batch(const Node& product, std::size_t operand) {
  return product.attributes.integer(operand == 0 ? "transBatchA" : "transBatchB", 0) != 0;
}

/// Whether swapping the axes of the left operand would make the gradient more costly. This holds
/// for a stack of matrices times a single matrix: the gradient of the single matrix would become a
/// sum of many products.
bool gradient_would_grow(const Rewriter& graph, const Node& product, std::size_t operand) {
  return operand == 0 && graph.shape(product.inputs[0])->size() > 2 &&
         graph.shape(product.inputs[1])->size() == 2;
}

bool take_transposition(Rewriter& graph, NodeId id, std::size_t operand) {
  const Node& product = graph.node(id);
  const ValueId input = product.inputs[operand];
  const NodeId maker = graph.maker(input);
  if (!maker.valid() || !graph.is_only_for(input, id)) return false;
  if (product.inputs[0] == product.inputs[1] || !swaps_matrix(graph, graph.node(maker))) {
    return false;
  }
  if (!multiplies_matrices(graph, product) || moves_batch(product, operand)) return false;
  if (gradient_would_grow(graph, product, operand)) return false;
  Node fused = as_fused(product);
  const char* const flag = operand == 0 ? "transA" : "transB";
  fused.attributes.set(flag, std::int64_t{1} - fused.attributes.integer(flag, 0));
  fused.inputs[operand] = graph.node(maker).inputs[0];
  graph.replace(id, std::move(fused));
  return true;
}

/// Whether the factor of FusedMatMul, a float32, is exact enough for this type.
bool fits_factor(ElementType element) {
  return is_floating(element) && element != ElementType::float64;
}

/// A node that multiplies one operand by a fixed scalar; the result has the operand's shape.
struct Scaling {
  ValueId operand;
  double factor = 1;
};

std::optional<Scaling> scaling_of(const Rewriter& graph, const Node& node) {
  const bool divides = node.op_type == "Div";
  if (!node.domain.empty() || (!divides && node.op_type != "Mul")) return std::nullopt;
  if (!fits_factor(graph.type(node.outputs[0]).element)) return std::nullopt;
  for (const std::size_t i : {1U, 0U}) {
    const auto number = graph.scalar(node.inputs[i]);
    const ValueId operand = node.inputs[1 - i];
    if (!number || *number == 0 || (divides && i == 0)) continue;
    if (graph.shape(operand) == nullptr || graph.shape(node.outputs[0]) == nullptr) continue;
    if (*graph.shape(operand) != *graph.shape(node.outputs[0])) continue;
    const double factor = divides ? 1 / *number : *number;
    if (std::isnormal(static_cast<float>(factor))) return Scaling{operand, factor};
  }
  return std::nullopt;
}

Node scaled(const Node& product, double factor) {
  Node fused = as_fused(product);
  const double alpha = double{fused.attributes.real("alpha", 1)} * factor;
  fused.attributes.set("alpha", static_cast<float>(alpha));
  return fused;
}

/// Fuses a product with the scaling of its result.
bool take_scaling_behind(Rewriter& graph, NodeId id) {
  const auto scaling = scaling_of(graph, graph.node(id));
  if (!scaling || !graph.is_only_for(scaling->operand, id)) return false;
  const NodeId maker = graph.maker(scaling->operand);
  if (!maker.valid() || !is_product(graph.node(maker))) return false;
  if (!multiplies_matrices(graph, graph.node(maker))) return false;
  graph.replace(id, scaled(graph.node(maker), scaling->factor));
  return true;
}

/// Fuses a product with the scaling of an operand.
bool take_scaling_before(Rewriter& graph, NodeId id, std::size_t operand) {
  const ValueId input = graph.node(id).inputs[operand];
  const NodeId maker = graph.maker(input);
  if (!maker.valid() || !graph.is_only_for(input, id)) return false;
  if (graph.node(id).inputs[0] == graph.node(id).inputs[1]) return false;
  if (!multiplies_matrices(graph, graph.node(id))) return false;
  const auto scaling = scaling_of(graph, graph.node(maker));
  if (!scaling) return false;
  Node fused = scaled(graph.node(id), scaling->factor);
  fused.inputs[operand] = scaling->operand;
  graph.replace(id, std::move(fused));
  return true;
}

std::size_t improve(Rewriter& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.outputs.empty() || !node.outputs[0].valid()) return 0;
  if (!is_product(node)) {
    return node.inputs.size() == 2 && take_scaling_behind(graph, id) ? 1 + improve(graph, id) : 0;
  }
  if (!is_floating(graph.type(node.outputs[0]).element)) return 0;
  std::size_t changed = 0;
  for (const std::size_t operand : {0U, 1U}) {
    while (take_transposition(graph, id, operand) || take_scaling_before(graph, id, operand)) {
      ++changed;
    }
  }
  return changed;
}

}  // namespace

std::size_t fuse_matmul(Rewriter& graph, const PassContext&) {
  std::size_t changed = 0;
  for (const NodeId id : IdRange<NodeId>(graph.node_count())) {
    if (!graph.is_removed(id)) changed += improve(graph, id);
  }
  return changed;
}

}  // namespace stashscope
