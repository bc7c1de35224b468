// Copies between the device and its host.

#include "core/run/cuda/families.h"

namespace stashscope::cuda {

namespace {

Lowered transfer(const LoweringContext& context) {
  Lowered lowered;
  const std::int64_t bytes = context.out().bytes();
  if (bytes > 0) lowered.calls.push_back(CopyCall{input(0), output(), bytes});
  return lowered;
}

}  // namespace

void add_transfer_kernels(CudaKernelRegistry& registry) {
  registry.add("", "MemcpyToHost", {.lower = transfer});
  registry.add("", "MemcpyFromHost", {.lower = transfer});
}

}  // namespace stashscope::cuda
