#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// FusedAttention and its gradient.
void add_fused_attention_kernels(CudaKernelRegistry& registry);

// Both functions throw the errors of AttentionPlan.

/// (Q, K, V, operands of the steps...) -> Y, [log_sum_exp]
Lowered lower_fused_attention(const LoweringContext& context);

/// (dY, Q, K, V, [Y], [log_sum_exp], operands of the steps...) -> [dQ], [dK], [dV], [gradients of
/// the operands of the steps...]
Lowered lower_fused_attention_gradient(const LoweringContext& context);

}  // namespace stashscope::cuda
