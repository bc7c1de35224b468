// Comparisons, boolean and bitwise operators, and selection.

#include "core/run/cuda/codegen/expression.h"
#include "core/run/cuda/ops/families.h"

namespace stashscope::cuda {

namespace {

using Operands = std::vector<std::string>;

std::string invert(const LoweringContext&, const Operands& operands) {
  return operands[0] + " == 0";
}

std::string bitwise_not(const LoweringContext&, const Operands& operands) {
  return "~" + operands[0];
}

std::string bit_shift(const LoweringContext& context, const Operands& operands) {
  const bool left = context.attributes().text("direction", "") == "LEFT";
  return call_text(left ? "shifted_left" : "shifted_right", operands);
}

/// The inputs are (condition, value if true, value if false).
std::string where(const LoweringContext&, const Operands& operands) {
  return operands[0] + " != 0 ? " + operands[1] + " : " + operands[2];
}

}  // namespace

void add_logic_kernels(CudaKernelRegistry& registry) {
  const auto add = [&](const char* type, ExpressionFunction expression) {
    registry.add("", type, {.expression = expression});
  };
  add("Equal", infix<"==">);
  add("Less", infix<"<">);
  add("LessOrEqual", infix<"<=">);
  add("Greater", infix<">">);
  add("GreaterOrEqual", infix<">=">);
  add("And", infix<"&&">);
  add("Or", infix<"||">);
  add("Xor", infix<"!=">);
  add("Not", invert);
  add("BitwiseAnd", infix<"&">);
  add("BitwiseOr", infix<"|">);
  add("BitwiseXor", infix<"^">);
  add("BitwiseNot", bitwise_not);
  add("BitShift", bit_shift);
  add("Where", where);
}

}  // namespace stashscope::cuda
