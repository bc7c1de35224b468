// Copies between device and host memory. On the CPU, device and host memory are the same, but are
// counted separately.

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/strided_copy.h"

namespace stashscope::cpu {

namespace {

void transfer(const KernelContext& context) { copy_all(context.in(0), context.out()); }

}  // namespace

void add_transfer_kernels(KernelRegistry& registry) {
  registry.add("", "MemcpyToHost", {transfer});
  registry.add("", "MemcpyFromHost", {transfer});
}

}  // namespace stashscope::cpu
