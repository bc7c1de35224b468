// Operators that only training graphs have.

#include "core/run/cuda/codegen/call_text.h"
#include "core/run/cuda/codegen/pointwise.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/cuda/ops/host_results.h"

namespace stashscope::cuda {

namespace {

using Operands = std::vector<std::string>;

/// The inputs are (sum so far, value, [do update]).
std::string accumulated(const LoweringContext& context, const Operands& operands) {
  const std::string sum = operands[0] + " + " + operands[1];
  return context.has_input(2) ? operands[2] + " != 0 ? " + sum + " : " + operands[0] : sum;
}

/// The expression of the new buffer, with the operands (buffer, value, [overwrite]).
std::string overwritten(const LoweringContext& context, const Operands& operands) {
  const std::string sum = operands[0] + " + " + operands[1];
  return context.has_input(2) ? operands[2] + " != 0 ? " + operands[1] + " : " + sum : sum;
}

/// (buffer, value, [overwrite]) -> updated flag, [new buffer]
Lowered accumulate_v2(const LoweringContext& context) {
  Lowered lowered = lower_outputs(context, {nullptr, overwritten});
  CallText text;
  const std::string updated = text.writes(context, 0);
  lowered.add(text.call(updated + "[0] = 1", {1, 1}));
  return lowered;
}

}  // namespace

void add_training_kernels(CudaKernelRegistry& registry) {
  const auto add = [&](const char* type, CudaKernel kernel) {
    registry.add("com.microsoft", type, std::move(kernel));
  };
  add("BroadcastGradientArgs", {.lower = lower_host_results, .host_inputs = {0, 1}});
  add("InPlaceAccumulator", {.expression = accumulated});
  add("InPlaceAccumulatorV2", {.lower = accumulate_v2});
}

}  // namespace stashscope::cuda
