#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_transfer_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
