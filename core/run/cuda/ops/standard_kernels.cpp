#include "core/run/cuda/ops/standard_kernels.h"

#include "core/run/cuda/ops/families.h"

namespace stashscope::cuda {

namespace {

CudaKernelRegistry all_families() {
  CudaKernelRegistry registry;
  for (const auto& add_family : kernel_families) add_family(registry);
  return registry;
}

}  // namespace

const CudaKernelRegistry& standard_kernels() {
  static const CudaKernelRegistry registry = all_families();
  return registry;
}

}  // namespace stashscope::cuda
