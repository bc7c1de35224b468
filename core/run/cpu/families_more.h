#pragma once

#include "core/run/cpu/families.h"

namespace stashscope::cpu {

void add_attention_kernels(KernelRegistry& registry);
void add_gated_activation_kernels(KernelRegistry& registry);
void add_legacy_gradient_kernels(KernelRegistry& registry);
void add_optimizer_kernels(KernelRegistry& registry);
void add_quantization_kernels(KernelRegistry& registry);
void add_rearrange_kernels(KernelRegistry& registry);

inline constexpr std::array more_kernel_families = {
    add_attention_kernels, add_gated_activation_kernels, add_legacy_gradient_kernels,
    add_optimizer_kernels, add_quantization_kernels,     add_rearrange_kernels};

}  // namespace stashscope::cpu
