// Activations with a learned slope or a gate, and Shrink.

#include "core/run/cuda/codegen/expression.h"
#include "core/run/cuda/ops/families.h"

namespace stashscope::cuda {

namespace {

std::string swish(const LoweringContext& context, const std::vector<std::string>& operands) {
  return call_text("swish", {operands[0], attribute_text(context, "alpha", 1)});
}

std::string shrink(const LoweringContext& context, const std::vector<std::string>& operands) {
  return call_text("shrink", {operands[0], attribute_text(context, "bias", 0),
                              attribute_text(context, "lambd", 0.5F)});
}

}  // namespace

void add_gated_activation_kernels(CudaKernelRegistry& registry) {
  registry.add("", "PRelu", {.expression = call<"parametric_relu">});
  registry.add("", "Swish", {.expression = swish});
  registry.add("", "Shrink", {.expression = shrink});
}

}  // namespace stashscope::cuda
