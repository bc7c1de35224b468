// Fuses Gelu (x * Phi(x)), its approximations and SiLU, which exporters write in several ways, and
// the bias before a Gelu.

#include <cmath>
#include <numbers>

#include "core/passes/graph_pass.h"
#include "core/passes/rewriting/operators.h"
#include "core/passes/rewriting/pattern.h"

namespace stashscope {

namespace {

using namespace pattern;

template <const char* type>
std::optional<Node> of_x(const Rewriter&, const Match& match) {
  return microsoft_node(type, "", {match["x"]});
}

constexpr char gelu[] = "Gelu";
constexpr char fast_gelu[] = "FastGelu";

/// The three ways to multiply x, one half and `factor`.
std::vector<Pattern> halves_of_product(const Pattern& factor) {
  const Pattern x = any("x");
  const Pattern half = number(0.5);
  return {op("Mul", {op("Mul", {x, factor}), half}), op("Mul", {op("Mul", {x, half}), factor}),
          op("Mul", {x, op("Mul", {factor, half})})};
}

/// 1 + erf(x / sqrt(2)). (Hendrycks and Gimpel, arXiv 1606.08415)
std::vector<Pattern> error_factors() {
  const Pattern divided = op("Div", {any("x"), number(std::numbers::sqrt2)});
  const Pattern multiplied = op("Mul", {any("x"), number(1 / std::numbers::sqrt2)});
  return {op("Add", {op("Erf", {divided}), number(1)}),
          op("Add", {op("Erf", {multiplied}), number(1)})};
}

/// 1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)), with the cube as a power, as a product or factored out.
std::vector<Pattern> tanh_factors() {
  const Pattern x = any("x");
  const Pattern slope = number(std::sqrt(2 / std::numbers::pi));
  const Pattern cubic = number(0.044715);
  const Pattern power = op("Mul", {op("Pow", {x, number(3)}), cubic});
  const Pattern cube = op("Mul", {op("Mul", {x, op("Mul", {x, x})}), cubic});
  const Pattern square = op("Mul", {op("Mul", {x, cubic}), x});
  const Pattern inner[] = {op("Mul", {op("Add", {x, power}), slope}),
                           op("Mul", {op("Add", {x, cube}), slope}),
                           op("Mul", {op("Mul", {x, slope}), op("Add", {square, number(1)})})};
  std::vector<Pattern> factors;
  for (const Pattern& each : inner) factors.push_back(op("Add", {op("Tanh", {each}), number(1)}));
  return factors;
}

/// x * sigmoid(alpha * x); with alpha = 1 the function is called SiLU or swish.
std::optional<Node> quick_gelu(const Rewriter& graph, const Match& match) {
  double alpha = 1;
  if (match.values.contains("alpha")) {
    const auto known = graph.scalar(match["alpha"]);
    if (!known) return std::nullopt;
    alpha = *known;
  }
  return microsoft_node("QuickGelu", "", {match["x"]}, {{"alpha", static_cast<float>(alpha)}});
}

bool is_row_bias(const Rewriter& graph, ValueId bias, ValueId x, ValueId sum) {
  const Shape* const row = graph.shape(bias);
  const Shape* const data = graph.shape(x);
  const Shape* const both = graph.shape(sum);
  return row != nullptr && data != nullptr && both != nullptr && row->size() == 1 &&
         !data->empty() && *data == *both && row->front() == data->back();
}

template <const char* type>
std::optional<Node> with_bias(const Rewriter& graph, const Match& match) {
  if (!is_row_bias(graph, match["bias"], match["x"], match["sum"])) return std::nullopt;
  return microsoft_node(type, "", {match["x"], match["bias"]});
}

constexpr char bias_gelu[] = "BiasGelu";

}  // namespace

std::size_t fuse_gelu(Rewriter& graph, const PassContext&) {
  std::vector<Fusion> fusions;
  for (const Pattern& factor : error_factors()) {
    for (Pattern& each : halves_of_product(factor))
      fusions.push_back({std::move(each), of_x<gelu>});
  }
  for (const Pattern& factor : tanh_factors()) {
    for (Pattern& each : halves_of_product(factor)) {
      fusions.push_back({std::move(each), of_x<fast_gelu>});
    }
  }
  fusions.push_back(
      {op("Mul", {any("x"), op("Sigmoid", {op("Mul", {any("x"), any("alpha")})})}), quick_gelu});
  fusions.push_back({op("Mul", {any("x"), op("Sigmoid", {any("x")})}), quick_gelu});
  return fuse(graph, fusions);
}

std::size_t fuse_bias_gelu(Rewriter& graph, const PassContext&) {
  const Pattern sum = op("Add", {any("x"), any("bias")}, "sum");
  return fuse(graph, {{microsoft("Gelu", {sum}), with_bias<bias_gelu>},
                      {microsoft("FastGelu", {sum}), with_bias<fast_gelu>}});
}

}  // namespace stashscope
