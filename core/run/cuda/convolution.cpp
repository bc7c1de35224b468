#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_convolution_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
