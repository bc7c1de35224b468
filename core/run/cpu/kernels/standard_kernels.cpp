#include "core/run/cpu/kernels/standard_kernels.h"

#include "core/run/cpu/kernels/families.h"

namespace stashscope::cpu {

namespace {

KernelRegistry all_families() {
  KernelRegistry registry;
  for (const auto& add_family : kernel_families) add_family(registry);
  return registry;
}

}  // namespace

const KernelRegistry& standard_kernels() {
  static const KernelRegistry registry = all_families();
  return registry;
}

}  // namespace stashscope::cpu
