#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// LinearCrossEntropyLoss and its gradient.
void add_linear_loss_kernels(CudaKernelRegistry& registry);

}  // namespace stashscope::cuda
