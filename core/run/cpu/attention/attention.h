#pragma once

#include "core/run/cpu/primitives/shared_names.h"

namespace stashscope::cpu {

// The kernels of this folder.

void attention(const KernelContext& context);
void attention_grad(const KernelContext& context);
void fused_attention(const KernelContext& context);
void fused_attention_grad(const KernelContext& context);
void rotary_embedding(const KernelContext& context);
void linear_attention(const KernelContext& context);

}  // namespace stashscope::cpu
