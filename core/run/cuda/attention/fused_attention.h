#pragma once

#include "core/run/cuda/attention/attention_plan.h"

namespace stashscope::cuda {

/// Adds the call that computes the result of an attention and the logarithms of the softmax's sums.
/// @param sums not present: not stored
void add_attention(const AttentionPlan& plan, const AttentionTensor& result,
                   const AttentionTensor& sums, Lowered& lowered);

}  // namespace stashscope::cuda
