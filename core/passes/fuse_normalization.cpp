// Fuses layer normalization and RMS normalization, written as means, powers and roots.

#include <algorithm>

#include "core/passes/graph_pass.h"
#include "core/passes/rewriting/operators.h"
#include "core/passes/rewriting/pattern.h"

namespace stashscope {

namespace {

using namespace pattern;

/// The axes of a mean that keeps its reduced axes with size 1; nothing for another mean.
std::optional<Integers> kept_axes(const Rewriter& graph, ValueId mean) {
  const Node& node = graph.node(graph.maker(mean));
  return node.attributes.integer("keepdims", 1) == 0 ? std::nullopt : reduced_axes(graph, node);
}

/// The first normalized axis if the normalized axes extend to the last axis; else nothing.
std::optional<std::int64_t> first_axis(const Rewriter& graph, const Match& match,
                                       std::initializer_list<const char*> means) {
  const Shape* const data = graph.shape(match["x"]);
  if (data == nullptr) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(data->size());
  std::optional<std::int64_t> first;
  for (const char* const mean : means) {
    const auto axes = kept_axes(graph, match[mean]);
    if (!axes || axes->empty() || axes->back() != rank - 1) return std::nullopt;
    if (axes->front() != rank - std::ssize(*axes)) return std::nullopt;
    if (first && *first != axes->front()) return std::nullopt;
    first = axes->front();
  }
  return first;
}

/// Whether an operand has the element type of x and the dims of x from `axis` on.
bool is_affine_operand(const Rewriter& graph, ValueId operand, ValueId x, std::int64_t axis) {
  const Shape* const dims = graph.shape(operand);
  const Shape& data = *graph.shape(x);
  return dims != nullptr &&
         std::equal(dims->begin(), dims->end(), data.begin() + axis, data.end()) &&
         graph.type(operand).element == graph.type(x).element;
}

std::optional<Node> normalization(const Rewriter& graph, const Match& match, const char* type,
                                  std::initializer_list<const char*> means,
                                  std::initializer_list<const char*> affine) {
  const auto axis = first_axis(graph, match, means);
  const auto epsilon = graph.scalar(match["epsilon"]);
  if (!axis || !epsilon) return std::nullopt;
  const ValueId x = match["x"];
  Node node;
  node.op_type = type;
  node.inputs = {x};
  for (const char* const name : affine) {
    if (!is_affine_operand(graph, match[name], x, *axis)) return std::nullopt;
    node.inputs.push_back(match[name]);
  }
  const bool wide = graph.type(x).element == ElementType::float64;
  const ElementType statistics = wide ? ElementType::float64 : ElementType::float32;
  const auto rank = static_cast<std::int64_t>(graph.shape(x)->size());
  node.attributes = {{"axis", *axis - rank},
                     {"epsilon", static_cast<float>(*epsilon)},
                     {"stash_type", static_cast<std::int64_t>(statistics)}};
  return node;
}

std::optional<Node> layer_norm(const Rewriter& graph, const Match& match) {
  return normalization(graph, match, "LayerNormalization", {"mean", "variance"}, {"scale", "bias"});
}
std::optional<Node> layer_norm_without_bias(const Rewriter& graph, const Match& match) {
  return normalization(graph, match, "LayerNormalization", {"mean", "variance"}, {"scale"});
}
std::optional<Node> rms_norm(const Rewriter& graph, const Match& match) {
  return normalization(graph, match, "SimplifiedLayerNormalization", {"squares"}, {"scale"});
}

/// `of` squared, as a power or as a product.
std::vector<Pattern> squares_of(const Pattern& of) {
  return {op("Pow", {of, number(2)}), op("Mul", {of, of})};
}

/// sqrt(mean of `square` + epsilon)
Pattern deviation(const Pattern& square, const char* mean) {
  return op("Sqrt", {op("Add", {op("ReduceMean", {square}, mean), any("epsilon")})});
}

/// x divided by `root`, directly or by its reciprocal.
std::vector<Pattern> divided(const Pattern& x, const Pattern& root) {
  return {op("Div", {x, root}), op("Mul", {x, op("Div", {number(1), root})}),
          op("Mul", {x, op("Reciprocal", {root})})};
}

}  // namespace

/// (Ba, Kiros and Hinton, arXiv 1607.06450)
std::size_t fuse_layer_normalization(Rewriter& graph, const PassContext&) {
  const Pattern centred = op("Sub", {any("x"), op("ReduceMean", {any("x")}, "mean")}, "centred");
  std::vector<Fusion> fusions;
  std::vector<Fusion> unbiased;
  for (const Pattern& square : squares_of(any("centred"))) {
    for (const Pattern& normal : divided(centred, deviation(square, "variance"))) {
      const Pattern scaled = op("Mul", {normal, any("scale")});
      fusions.push_back({op("Add", {scaled, any("bias")}), layer_norm});
      unbiased.push_back({scaled, layer_norm_without_bias});
    }
  }
  fusions.insert(fusions.end(), unbiased.begin(), unbiased.end());
  return fuse(graph, fusions);
}

/// (Zhang and Sennrich, arXiv 1910.07467)
std::size_t fuse_rms_normalization(Rewriter& graph, const PassContext&) {
  std::vector<Fusion> fusions;
  for (const Pattern& square : squares_of(any("x"))) {
    for (const Pattern& normal : divided(any("x"), deviation(square, "squares"))) {
      fusions.push_back({op("Mul", {normal, any("scale")}), rms_norm});
    }
  }
  return fuse(graph, fusions);
}

}  // namespace stashscope
