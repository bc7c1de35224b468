#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// LinearCrossEntropyLoss and its gradient. Their lowering throws a run Error for a loss without
/// classes and for more than 2^30 - 1 rows, numbers in a row of hidden states, or classes.
void add_linear_loss_kernels(CudaKernelRegistry& registry);

}  // namespace stashscope::cuda
