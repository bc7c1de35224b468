#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_resize_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
