#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_loss_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
