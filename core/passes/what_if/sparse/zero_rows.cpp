#include "core/passes/what_if/sparse/zero_rows.h"

#include <algorithm>
#include <cmath>

namespace stashscope {

namespace {

bool is_one_of(const Node& node, std::initializer_list<std::string_view> types) {
  return std::ranges::any_of(types, [&](std::string_view type) { return is(node, type); });
}

/// Knows which values are above 0, or at least 0, for any tokens.
class Signs {
 public:
  explicit Signs(const Rewriter& graph) : graph_(graph) {}

  bool is_positive(ValueId value, int depth = 0) const {
    if (const auto number = graph_.scalar(value)) return *number >= least(value);
    const NodeId maker = graph_.maker(value);
    if (!maker.valid() || depth > most_depth) return false;
    const Node& node = graph_.node(maker);
    const auto positive = [&](ValueId input) { return is_positive(input, depth + 1); };
    const auto not_negative = [&](ValueId input) { return is_not_negative(input, depth + 1); };
    if (passes_sign_on(node) || is(node, "Sqrt")) return positive(node.inputs[0]);
    if (is(node, "Mul")) return false;
    if (is(node, "Max")) return std::ranges::any_of(node.inputs, positive);
    if (is(node, "Clip")) return node.inputs.size() > 1 && positive(node.inputs[1]);
    return is(node, "Add") && std::ranges::all_of(node.inputs, not_negative) &&
           std::ranges::any_of(node.inputs, positive);
  }

 private:
  static constexpr int most_depth = 16;

  /// The least number whose square, by which gradients divide, stays above 0 in the type of a
  /// value.
  double least(ValueId value) const {
    return graph_.type(value).element == ElementType::float16 ? 1e-3 : 1e-18;
  }

  /// Nodes whose results are positive, or not negative, if their first operand is.
  static bool passes_sign_on(const Node& node) {
    return is_one_of(node, {"Identity", "Reshape", "Squeeze", "Unsqueeze", "Expand", "Transpose"});
  }

  bool is_not_negative(ValueId value, int depth) const {
    if (const auto number = graph_.scalar(value)) return *number >= 0;
    const NodeId maker = graph_.maker(value);
    if (!maker.valid() || depth > most_depth) return false;
    const Node& node = graph_.node(maker);
    const auto not_negative = [&](ValueId input) { return is_not_negative(input, depth + 1); };
    if (is_one_of(node, {"Abs", "Exp", "Relu", "Sigmoid", "Softmax", "Softplus", "Sqrt", "ReduceL1",
                         "ReduceL2", "ReduceSumSquare"})) {
      return true;
    }
    if (is(node, "Pow")) {
      const auto exponent = graph_.scalar(node.inputs[1]);
      return exponent && std::fmod(*exponent, 2) == 0;
    }
    if (is(node, "Mul") && node.inputs[0] == node.inputs[1]) return true;
    if (is_one_of(node, {"Add", "Mul"})) return std::ranges::all_of(node.inputs, not_negative);
    const bool passes =
        passes_sign_on(node) || is_one_of(node, {"Cast", "ReduceMean", "ReduceSum"});
    return (passes && not_negative(node.inputs[0])) || is_positive(value, depth + 1);
  }

  const Rewriter& graph_;
};

/// Powers have finite results and gradients for all numbers if their exponent counts.
bool is_counting_power(const Rewriter& graph, const Node& node) {
  const auto exponent = graph.scalar(node.inputs[1]);
  return exponent && *exponent >= 1 && std::trunc(*exponent) == *exponent;
}

}  // namespace

bool is_singular(const Rewriter& graph, const TokenFlow& flow, const Node& node) {
  const auto may_be_zero = [&](std::size_t index) {
    return flow.find(node.inputs[index]) != nullptr &&
           !Signs(graph).is_positive(node.inputs[index]);
  };
  if (is_one_of(node, {"Div", "Mod"})) return may_be_zero(1);
  if (is_one_of(node, {"Log", "Reciprocal", "Sqrt", "ReduceL2", "ReduceLogSum", "ReduceProd"})) {
    return may_be_zero(0);
  }
  if (is(node, "Pow")) {
    const bool reads_tokens =
        flow.find(node.inputs[0]) != nullptr || flow.find(node.inputs[1]) != nullptr;
    return reads_tokens && !is_counting_power(graph, node) &&
           !Signs(graph).is_positive(node.inputs[0]);
  }
  if (!is_row_normalization(node) || flow.find(node.inputs[0]) == nullptr) return false;
  return node.attributes.real("epsilon", 1e-5F) <= 0;
}

}  // namespace stashscope
