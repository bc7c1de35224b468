#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_matmul_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
