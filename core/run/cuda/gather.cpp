#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_gather_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
