#include "core/run/cuda/attention/kernels.h"

#include "core/ops/attention/attention_shapes.h"
#include "core/ops/attention/fused_places.h"

namespace stashscope::cuda {

namespace {

/// The indices of the inputs that give the new shape of a step Reshape.
template <fused_places::Inputs places>
std::vector<std::size_t> shape_inputs(const Node& node) {
  std::vector<std::size_t> inputs;
  for (const ScoreStep& step : read_score_steps(node.attributes)) {
    const std::size_t input = places.step_operands + step.first_operand;
    if (step.kind == ScoreStepKind::reshape) inputs.push_back(input);
  }
  return inputs;
}

}  // namespace

void add_fused_attention_kernels(CudaKernelRegistry& registry) {
  registry.add(
      "com.microsoft", "FusedAttention",
      {.lower = lower_fused_attention, .more_host_inputs = shape_inputs<fused_places::forward>});
  registry.add("com.microsoft", "FusedAttentionGrad",
               {.lower = lower_fused_attention_gradient,
                .more_host_inputs = shape_inputs<fused_places::backward>});
}

}  // namespace stashscope::cuda
