#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_training_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
