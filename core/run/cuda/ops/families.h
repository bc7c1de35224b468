#pragma once

#include <array>

#include "core/run/cuda/attention/kernels.h"
#include "core/run/cuda/codegen/lowering.h"
#include "core/run/cuda/losses/kernels.h"

namespace stashscope::cuda {

// One function per operator family; each family has a file of its own.
void add_activation_kernels(CudaKernelRegistry& registry);
void add_arithmetic_kernels(CudaKernelRegistry& registry);
void add_cast_kernels(CudaKernelRegistry& registry);
void add_constant_kernels(CudaKernelRegistry& registry);
void add_convolution_kernels(CudaKernelRegistry& registry);
void add_dropout_kernels(CudaKernelRegistry& registry);
void add_gated_activation_kernels(CudaKernelRegistry& registry);
void add_gather_kernels(CudaKernelRegistry& registry);
void add_layer_normalization_kernels(CudaKernelRegistry& registry);
void add_legacy_gradient_kernels(CudaKernelRegistry& registry);
void add_logic_kernels(CudaKernelRegistry& registry);
void add_loss_kernels(CudaKernelRegistry& registry);
void add_matmul_kernels(CudaKernelRegistry& registry);
void add_normalization_kernels(CudaKernelRegistry& registry);
void add_pooling_kernels(CudaKernelRegistry& registry);
void add_rearrange_kernels(CudaKernelRegistry& registry);
void add_reduction_kernels(CudaKernelRegistry& registry);
void add_resize_kernels(CudaKernelRegistry& registry);
void add_scatter_kernels(CudaKernelRegistry& registry);
void add_shape_kernels(CudaKernelRegistry& registry);
void add_slicing_kernels(CudaKernelRegistry& registry);
void add_softmax_kernels(CudaKernelRegistry& registry);
void add_training_kernels(CudaKernelRegistry& registry);
void add_transfer_kernels(CudaKernelRegistry& registry);

inline constexpr std::array kernel_families = {
    add_activation_kernels,
    add_arithmetic_kernels,
    add_cast_kernels,
    add_constant_kernels,
    add_convolution_kernels,
    add_dropout_kernels,
    add_fused_attention_kernels,
    add_gated_activation_kernels,
    add_gather_kernels,
    add_layer_normalization_kernels,
    add_legacy_gradient_kernels,
    add_linear_loss_kernels,
    add_logic_kernels,
    add_loss_kernels,
    add_matmul_kernels,
    add_normalization_kernels,
    add_pooling_kernels,
    add_rearrange_kernels,
    add_reduction_kernels,
    add_resize_kernels,
    add_scatter_kernels,
    add_shape_kernels,
    add_slicing_kernels,
    add_softmax_kernels,
    add_training_kernels,
    add_transfer_kernels,
};

}  // namespace stashscope::cuda
