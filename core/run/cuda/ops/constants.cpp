// Tensors made from a shape, a range or a random generator.

#include <cstring>

#include "core/run/cuda/codegen/expression.h"
#include "core/run/cuda/codegen/pointwise.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/dispatch.h"

namespace stashscope::cuda {

namespace {

using Operands = std::vector<std::string>;

/// The bits of the attribute `value` as a number of the output's type; 0 without the attribute.
std::string constant_item(const LoweringContext& context, const Operands&) {
  std::uint64_t item = 0;
  if (const Tensor* const value = context.attributes().tensor("value")) {
    const TensorBytes data = value->load();
    std::memcpy(&item, data.bytes.data(), std::min(sizeof(item), data.bytes.size()));
  }
  return device_type(context.out().element) + "(" + std::to_string(item) + "ULL)";
}

Lowered constant_of_shape(const LoweringContext& context) {
  static constexpr ElementType by_bytes[] = {
      ElementType::undefined, ElementType::uint8,     ElementType::uint16,
      ElementType::undefined, ElementType::uint32,    ElementType::undefined,
      ElementType::undefined, ElementType::undefined, ElementType::uint64};
  LoweringContext moved = context;
  moved.outputs[0].element =
      by_bytes[static_cast<std::size_t>(element_bytes(context.out().element))];
  return lower_pointwise(moved, constant_item);
}

/// The literal of an operand that the host knows, in the compute type of the output.
std::string known_item(const LoweringContext& context, std::size_t input) {
  const std::string type = compute_type(context.out().element);
  if (!is_floating(context.in(input).element)) {
    const auto item = static_cast<std::uint64_t>(context.integers(input).at(0));
    return type + "(" + std::to_string(item) + "ULL)";
  }
  if (!context.contents[input].present()) {
    fail_run("", "start, limit and step must be known before the training step runs");
  }
  return type + "(" + number_text(kernels::as_number(context.contents[input])) + ")";
}

/// The inputs are (start, limit, step).
std::string range(const LoweringContext& context, const Operands&) {
  return known_item(context, 0) + " + " + compute_type(context.out().element) + "(position) * " +
         known_item(context, 2);
}

std::string eye_like(const LoweringContext& context, const Operands&) {
  const std::string columns = std::to_string(context.out().dim(1));
  return "Int64(position % " + columns + ") - Int64(position / " + columns +
         ") == " + std::to_string(context.attributes().integer("k", 0)) + " ? 1 : 0";
}

/// The text that converts the double `number` to the compute type of the output, as the CPU runner
/// does before it stores the number.
std::string drawn(const LoweringContext& context, const std::string& number) {
  if (context.out().element == ElementType::boolean) return "(" + number + ") != 0";
  return compute_type(context.out().element) + "(" + number + ")";
}

std::string random_text(const LoweringContext& context, const char* distribution) {
  return "PositionalRandom(" + std::to_string(context.seed) + "ULL)." + distribution + "(position)";
}

std::string random_normal(const LoweringContext& context, const Operands&) {
  return drawn(context, attribute_text(context, "mean", 0) + " + " +
                            attribute_text(context, "scale", 1) + " * " +
                            random_text(context, "normal"));
}

std::string random_uniform(const LoweringContext& context, const Operands&) {
  const std::string low = attribute_text(context, "low", 0);
  return drawn(context, low + " + (" + attribute_text(context, "high", 1) + " - " + low + ") * " +
                            random_text(context, "uniform"));
}

/// The expression is 1 or 0 for each output element. The input element at the same position is the
/// probability of 1.
std::string bernoulli(const LoweringContext& context, const Operands& operands) {
  return random_text(context, "uniform") + " < " + operands[0] + " ? 1 : 0";
}

}  // namespace

void add_constant_kernels(CudaKernelRegistry& registry) {
  registry.add("", "ConstantOfShape", {.lower = constant_of_shape, .host_inputs = {0}});
  registry.add("", "Range", {.expression = range, .host_inputs = {0, 1, 2}});
  const auto add = [&](const char* type, ExpressionFunction expression) {
    registry.add("", type, {.expression = expression});
  };
  add("EyeLike", eye_like);
  add("RandomNormal", random_normal);
  add("RandomNormalLike", random_normal);
  add("RandomUniform", random_uniform);
  add("RandomUniformLike", random_uniform);
  add("Bernoulli", bernoulli);
}

}  // namespace stashscope::cuda
