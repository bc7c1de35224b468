#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_arithmetic_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
