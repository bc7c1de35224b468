#pragma once

#include "core/run/cuda/codegen/lowering.h"

namespace stashscope::cuda {

/// All kernels of CUDA devices.
const CudaKernelRegistry& standard_kernels();

}  // namespace stashscope::cuda
