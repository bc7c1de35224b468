#include "core/passes/what_if/sparse/zero_rows.h"

#include <algorithm>
#include <cmath>

#include "core/ops/rules/elementwise.h"

namespace stashscope {

namespace {

/// Bounds the recursion; nothing is proven beyond it.
constexpr int deepest_recursion = 64;

/// A small number whose square, by which gradients divide, stays above 0 in a type.
double least_divisor(ElementType element) { return element == ElementType::float16 ? 1e-3 : 1e-18; }

/// Whether a power has finite results and gradients for all numbers: its exponent is a whole number
/// of at least 1.
bool is_counting_power(const Rewriter& graph, const Node& node) {
  const auto exponent = graph.scalar(node.inputs[1]);
  return exponent && *exponent >= 1 && std::trunc(*exponent) == *exponent;
}

bool is_never_negative(const Node& node) {
  return is_one_of(node, {"Abs", "Exp", "Relu", "Sigmoid", "Softmax", "Softplus", "ReduceL1",
                          "ReduceL2", "ReduceSumSquare"});
}

}  // namespace

bool ZeroRows::is_square(const Node& node) const {
  if (is(node, "Mul")) return node.inputs[0] == node.inputs[1];
  const auto exponent = is(node, "Pow") ? graph_.scalar(node.inputs[1]) : std::nullopt;
  return exponent && std::fmod(*exponent, 2) == 0;
}

/// Products, means and casts of small positive numbers may be rounded to 0, so their sign is at
/// most `not_negative`.
ZeroRows::Sign ZeroRows::sign_made_by(const Node& node) {
  const auto in = [&](std::size_t index) { return sign_of(node.inputs[index]); };
  const auto least = [&] {
    return std::ranges::min(node.inputs, {}, [&](ValueId each) { return sign_of(each); });
  };
  const auto most = [&] {
    return std::ranges::max(node.inputs, {}, [&](ValueId each) { return sign_of(each); });
  };
  if (passes_elements_on(node)) return in(0);
  if (is(node, "Sqrt")) return std::max(in(0), Sign::not_negative);
  if (is(node, "Max")) return sign_of(most());
  if (is(node, "Add")) {
    return sign_of(least()) == Sign::any ? Sign::any : sign_of(most());
  }
  if (is(node, "Clip") && node.inputs.size() > 1 && node.inputs[1].valid()) return in(1);
  if (is_never_negative(node) || is_square(node)) return Sign::not_negative;
  if (is_one_of(node, {"Cast", "ReduceMean", "ReduceSum"}))
    return std::min(in(0), Sign::not_negative);
  return is(node, "Mul") ? std::min(sign_of(least()), Sign::not_negative) : Sign::any;
}

ZeroRows::Sign ZeroRows::computed_sign(ValueId value) {
  if (const auto number = graph_.scalar(value)) {
    if (*number >= least_divisor(graph_.type(value).element)) return Sign::positive;
    return *number >= 0 ? Sign::not_negative : Sign::any;
  }
  const NodeId maker = graph_.maker(value);
  if (!maker.valid()) return Sign::any;
  if (depth_ > deepest_recursion) is_cut_off_ = true;
  return is_cut_off_ ? Sign::any : sign_made_by(graph_.node(maker));
}

/// Signs that a recursion gives up on are not kept, because another recursion may find them.
ZeroRows::Sign ZeroRows::sign_of(ValueId value) {
  const auto known = signs_.find(value);
  if (known != signs_.end()) return known->second;
  if (depth_ == 0) is_cut_off_ = false;
  ++depth_;
  Sign sign = computed_sign(value);
  --depth_;
  if (is_put_back_(value)) sign = std::min(sign, Sign::not_negative);
  if (!is_cut_off_) signs_[value] = sign;
  return sign;
}

bool ZeroRows::may_be_zero(ValueId value) {
  return flow_.find(value) != nullptr && sign_of(value) != Sign::positive;
}

bool ZeroRows::are_singular_for(const Node& node) {
  if (is_one_of(node, {"Div", "Mod"})) return may_be_zero(node.inputs[1]);
  if (is_one_of(node, {"Log", "Reciprocal", "Sqrt", "ReduceL2", "ReduceLogSum", "ReduceProd"})) {
    return may_be_zero(node.inputs[0]);
  }
  if (is(node, "Pow")) {
    const bool reads_tokens =
        flow_.find(node.inputs[0]) != nullptr || flow_.find(node.inputs[1]) != nullptr;
    return reads_tokens && !is_counting_power(graph_, node) &&
           sign_of(node.inputs[0]) != Sign::positive;
  }
  if (!is_row_normalization(node) || flow_.find(node.inputs[0]) == nullptr) return false;
  return node.attributes.real("epsilon", 1e-5F) <= 0;
}

}  // namespace stashscope
