#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_gated_activation_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
