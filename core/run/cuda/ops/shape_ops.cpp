// Operators that read shapes, and operators whose output shares the input's memory.

#include "core/run/cuda/ops/families.h"
#include "core/run/cuda/ops/host_results.h"

namespace stashscope::cuda {

namespace {

Lowered shares_memory(const LoweringContext&) { return {}; }

}  // namespace

void add_shape_kernels(CudaKernelRegistry& registry) {
  for (const char* type : {"Reshape", "Flatten", "Squeeze", "Unsqueeze"}) {
    registry.add("", type, {.lower = shares_memory, .host_inputs = {1}});
  }
  registry.add("", "Identity", {.lower = shares_memory});
  registry.add("", "Shape", {.lower = lower_host_results});
  registry.add("", "Size", {.lower = lower_host_results});
}

}  // namespace stashscope::cuda
