#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_cast_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
