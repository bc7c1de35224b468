#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_slicing_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
