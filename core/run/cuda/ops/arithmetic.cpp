// Elementwise arithmetic with broadcasting.

#include "core/run/cuda/codegen/expression.h"
#include "core/run/cuda/ops/families.h"

namespace stashscope::cuda {

namespace {

using Operands = std::vector<std::string>;

std::string rounded(const LoweringContext& context, const std::string& text) {
  return "rounded<" + device_type(context.out().element) + ">(" + text + ")";
}

/// Combines all operands from left to right. Each intermediate result is rounded as if it were
/// stored.
template <ExpressionFunction combine>
std::string variadic(const LoweringContext& context, const Operands& operands) {
  std::string text = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) {
    text = rounded(context, combine(context, {text, operands[i]}));
  }
  return text;
}

std::string mean(const LoweringContext& context, const Operands& operands) {
  return variadic<infix<"+">>(context, operands) + " / " + compute_type(context.out().element) +
         "(" + std::to_string(operands.size()) + ")";
}

std::string modulo(const LoweringContext& context, const Operands& operands) {
  const bool like_c = context.attributes().integer("fmod", 0) != 0;
  return call_text("remainder_of", {operands[0], operands[1], like_c ? "true" : "false"});
}

std::string power(const LoweringContext& context, const Operands& operands) {
  const bool by_scalar = context.in(1).elements() == 1 && context.in(0).dims == context.out().dims;
  return call_text(by_scalar ? "power_by_scalar" : "power", operands);
}

/// Returns a bound of Clip: the attribute `name` before version 11, input `index` from version 11
/// on. Returns an empty text if the node does not have the bound.
std::string bound(const LoweringContext& context, const Operands& operands, std::size_t index,
                  const char* name) {
  if (context.has_input(index)) return operands[index];
  if (!context.attributes().has(name)) return {};
  return compute_type(context.out().element) + "(" + attribute_text(context, name, 0) + ")";
}

/// If the lower bound is above the upper one, the result is the upper bound. NaN stays NaN.
std::string clip(const LoweringContext& context, const Operands& operands) {
  const std::string low = bound(context, operands, 1, "min");
  const std::string high = bound(context, operands, 2, "max");
  const std::string raised = low.empty() ? operands[0] : call_text("at_least", {operands[0], low});
  return high.empty() ? raised : call_text("at_most", {raised, high});
}

}  // namespace

void add_arithmetic_kernels(CudaKernelRegistry& registry) {
  const auto add = [&](const char* type, ExpressionFunction expression) {
    registry.add("", type, {.expression = expression});
  };
  add("Add", infix<"+">);
  add("Sub", infix<"-">);
  add("Mul", infix<"*">);
  add("Div", call<"divided">);
  add("Sum", variadic<infix<"+">>);
  add("Min", variadic<call<"least">>);
  add("Max", variadic<call<"greatest">>);
  add("Mean", mean);
  add("Mod", modulo);
  add("Pow", power);
  add("Clip", clip);
}

}  // namespace stashscope::cuda
