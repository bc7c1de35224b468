// Conversions between element types.

#include "core/run/cuda/codegen/expression.h"
#include "core/run/cuda/ops/families.h"

namespace stashscope::cuda {

namespace {

std::string cast(const LoweringContext& context, const std::vector<std::string>& operands) {
  const ElementType to = context.out().element;
  if (to == ElementType::boolean) return operands[0] + " != 0";
  const std::string number = call_text("converted<" + compute_type(to) + ">", {operands[0]});
  const bool is_float8 = is_floating(to) && bits_per_element(to) == 8;
  const bool saturates = context.attributes().integer("saturate", 1) != 0;
  return is_float8 && !saturates ? device_type(to) + "::from(" + number + ", false)" : number;
}

}  // namespace

void add_cast_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Cast", {.expression = cast});
  registry.add("", "CastLike", {.expression = cast});
}

}  // namespace stashscope::cuda
