// Copies between device and host memory. On the CPU, both are the same memory, but a tensor that
// was copied to the host does not count as device memory.

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
