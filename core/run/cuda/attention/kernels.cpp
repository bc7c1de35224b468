#include "core/run/cuda/attention/kernels.h"

#include "core/ops/attention/attention_shapes.h"

namespace stashscope::cuda {

namespace {

/// The inputs that are new shapes of scores.
/// @tparam first the first operand of the steps
template <std::size_t first>
std::vector<std::size_t> shape_inputs(const Node& node) {
  std::vector<std::size_t> inputs;
  for (const ScoreStep& step : read_score_steps(node.attributes)) {
    if (step.kind == ScoreStepKind::reshape) inputs.push_back(first + step.first_operand);
  }
  return inputs;
}

}  // namespace

void add_fused_attention_kernels(CudaKernelRegistry& registry) {
  registry.add("com.microsoft", "FusedAttention",
               {.lower = lower_fused_attention, .more_host_inputs = shape_inputs<3>});
  registry.add("com.microsoft", "FusedAttentionGrad",
               {.lower = lower_fused_attention_gradient, .more_host_inputs = shape_inputs<6>});
}

}  // namespace stashscope::cuda
