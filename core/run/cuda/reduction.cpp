#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_reduction_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
