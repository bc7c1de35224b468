#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_activation_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
