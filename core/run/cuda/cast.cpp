// Conversions between element types.

#include "core/run/cuda/expression.h"
#include "core/run/cuda/families.h"

namespace stashscope::cuda {

namespace {

std::string cast(const LoweringContext& context, const std::vector<std::string>& operands) {
  const ElementType to = context.out().element;
  if (to == ElementType::boolean) return operands[0] + " != 0";
  return call_text("converted<" + compute_type(to) + ">", {operands[0]});
}

}  // namespace

void add_cast_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Cast", {.expression = cast});
  registry.add("", "CastLike", {.expression = cast});
}

}  // namespace stashscope::cuda
