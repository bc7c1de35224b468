// Copies between the device and its host.

#include "core/run/cuda/ops/families.h"

namespace stashscope::cuda {

namespace {

Lowered transfer(const LoweringContext& context) { return copied_input(context, 0); }

}  // namespace

void add_transfer_kernels(CudaKernelRegistry& registry) {
  registry.add("", "MemcpyToHost", {.lower = transfer});
  registry.add("", "MemcpyFromHost", {.lower = transfer});
}

}  // namespace stashscope::cuda
