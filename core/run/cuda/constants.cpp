#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_constant_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
