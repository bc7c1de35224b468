#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_pooling_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
