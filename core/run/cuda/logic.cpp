#include "core/run/cuda/families.h"

namespace stashscope::cuda {

void add_logic_kernels(CudaKernelRegistry&) {}

}  // namespace stashscope::cuda
