#pragma once

#include "core/memory/optimizer.h"

/// The tensors that optimizers keep for one parameter, as the libraries named in `optimizers` lay
/// them out. Counters of steps are left out: they are single numbers, and most are on the host. A
/// parameter whose shape is not known gets states of its own shape, neither quantized nor factored.
namespace stashscope::states {

using States = std::vector<OptimizerState>;

/// One tensor like the parameter: `momentum_buffer`.
States momentum(const UpdatedParameter& parameter);
/// One tensor like the parameter: `exp_avg`.
States one_moment(const UpdatedParameter& parameter);
/// Two tensors like the parameter: `exp_avg` and `exp_avg_sq`.
States two_moments(const UpdatedParameter& parameter);

/// Adafactor of PyTorch: for a parameter of two or more axes, a mean of the second moment for each
/// row and each column of its last two axes; for any other, the whole second moment.
States factored_moment(const UpdatedParameter& parameter);

/// Muon of PyTorch: one momentum for a parameter of two axes; two moments of AdamW for any other
/// parameter and for embeddings.
States muon(const UpdatedParameter& parameter);

/// bitsandbytes: one or two moments of 8 bits with a float32 scale for each 256 elements. Each
/// moment also has a table of 256 float32 numbers, which all parameters share. A parameter of less
/// than 4096 elements has float32 moments.
States one_blockwise_moment(const UpdatedParameter& parameter);
States two_blockwise_moments(const UpdatedParameter& parameter);

/// torchao: two moments of 8 or 4 bits with a float32 scale for each 256 or 128 elements, and a
/// table of 256 or 16 float32 numbers for each moment of each parameter. A parameter of less than
/// 4096 elements, or with a last block that is not full, has two moments of its own type and shape.
States moments_of_8_bits(const UpdatedParameter& parameter);
States moments_of_4_bits(const UpdatedParameter& parameter);

}  // namespace stashscope::states
