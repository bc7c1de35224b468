#pragma once

#include <array>

#include "core/ops/attention/ops.h"
#include "core/ops/losses/ops.h"
#include "core/ops/rules/op.h"
#include "core/ops/signals/ops.h"

namespace stashscope {

// One file per operator family; each adds its operators to the registry.
void add_activation_ops(OpRegistry& registry);
void add_arithmetic_ops(OpRegistry& registry);
void add_cast_ops(OpRegistry& registry);
void add_constant_ops(OpRegistry& registry);
void add_control_flow_ops(OpRegistry& registry);
void add_convolution_ops(OpRegistry& registry);
void add_data_dependent_ops(OpRegistry& registry);
void add_dropout_ops(OpRegistry& registry);
void add_einsum_ops(OpRegistry& registry);
void add_gated_activation_ops(OpRegistry& registry);
void add_gather_ops(OpRegistry& registry);
void add_logic_ops(OpRegistry& registry);
void add_matmul_ops(OpRegistry& registry);
void add_normalization_ops(OpRegistry& registry);
void add_optimizer_ops(OpRegistry& registry);
void add_pooling_ops(OpRegistry& registry);
void add_pytorch_ops(OpRegistry& registry);
void add_quantization_ops(OpRegistry& registry);
void add_rearrange_ops(OpRegistry& registry);
void add_recurrent_ops(OpRegistry& registry);
void add_reduction_ops(OpRegistry& registry);
void add_resize_ops(OpRegistry& registry);
void add_shape_ops(OpRegistry& registry);
void add_slicing_ops(OpRegistry& registry);
void add_softmax_ops(OpRegistry& registry);
void add_training_ops(OpRegistry& registry);
void add_transfer_ops(OpRegistry& registry);

inline constexpr std::array op_families = {
    add_activation_ops, add_arithmetic_ops,    add_attention_ops,       add_cast_ops,
    add_constant_ops,   add_control_flow_ops,  add_convolution_ops,     add_data_dependent_ops,
    add_dropout_ops,    add_einsum_ops,        add_fused_attention_ops, add_gated_activation_ops,
    add_gather_ops,     add_linear_loss_ops,   add_logic_ops,           add_loss_ops,
    add_matmul_ops,     add_normalization_ops, add_optimizer_ops,       add_pooling_ops,
    add_pytorch_ops,    add_quantization_ops,  add_rearrange_ops,       add_recurrent_ops,
    add_reduction_ops,  add_resize_ops,        add_shape_ops,           add_slicing_ops,
    add_softmax_ops,    add_training_ops,      add_transfer_ops,        add_box_ops,
    add_grid_ops,       add_spectrum_ops,      add_ngram_ops,           add_contrib_attention_ops,
};

}  // namespace stashscope
