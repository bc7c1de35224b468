#pragma once

#include <array>

#include "core/run/cpu/attention/kernels.h"
#include "core/run/cpu/losses/kernels.h"
#include "core/run/cpu/primitives/shared_names.h"
#include "core/run/cpu/recurrent/recurrent_kernels.h"
#include "core/run/cpu/signals/kernels.h"

namespace stashscope::cpu {

// One file per operator family; some families have a folder.
void add_activation_kernels(KernelRegistry& registry);
void add_arithmetic_kernels(KernelRegistry& registry);
void add_aten_kernels(KernelRegistry& registry);
void add_cast_kernels(KernelRegistry& registry);
void add_constant_kernels(KernelRegistry& registry);
void add_convolution_kernels(KernelRegistry& registry);
void add_dropout_kernels(KernelRegistry& registry);
void add_einsum_kernels(KernelRegistry& registry);
void add_gated_activation_kernels(KernelRegistry& registry);
void add_gather_kernels(KernelRegistry& registry);
void add_layer_normalization_kernels(KernelRegistry& registry);
void add_legacy_gradient_kernels(KernelRegistry& registry);
void add_logic_kernels(KernelRegistry& registry);
void add_loss_kernels(KernelRegistry& registry);
void add_matmul_kernels(KernelRegistry& registry);
void add_normalization_kernels(KernelRegistry& registry);
void add_optimizer_kernels(KernelRegistry& registry);
void add_pooling_kernels(KernelRegistry& registry);
void add_quantization_kernels(KernelRegistry& registry);
void add_rearrange_kernels(KernelRegistry& registry);
void add_reduction_kernels(KernelRegistry& registry);
void add_resize_kernels(KernelRegistry& registry);
void add_shape_kernels(KernelRegistry& registry);
void add_slicing_kernels(KernelRegistry& registry);
void add_softmax_kernels(KernelRegistry& registry);
void add_training_kernels(KernelRegistry& registry);
void add_transfer_kernels(KernelRegistry& registry);

inline constexpr std::array kernel_families = {
    add_activation_kernels,
    add_arithmetic_kernels,
    add_aten_kernels,
    add_attention_kernels,
    add_cast_kernels,
    add_constant_kernels,
    add_convolution_kernels,
    add_dropout_kernels,
    add_einsum_kernels,
    add_gated_activation_kernels,
    add_gather_kernels,
    add_layer_normalization_kernels,
    add_legacy_gradient_kernels,
    add_linear_loss_kernels,
    add_logic_kernels,
    add_loss_kernels,
    add_matmul_kernels,
    add_normalization_kernels,
    add_optimizer_kernels,
    add_pooling_kernels,
    add_quantization_kernels,
    add_rearrange_kernels,
    add_recurrent_kernels,
    add_reduction_kernels,
    add_resize_kernels,
    add_shape_kernels,
    add_slicing_kernels,
    add_softmax_kernels,
    add_training_kernels,
    add_transfer_kernels,
    add_signal_kernels,
};

}  // namespace stashscope::cpu
