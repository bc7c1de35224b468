#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_dropout_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
