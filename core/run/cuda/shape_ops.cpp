#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_shape_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
