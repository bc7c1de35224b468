// Shape readers and movers. Reshape and its relatives share their input's memory and need no kernel
// beyond a name.

#include <cstring>

#include "core/run/cpu/dispatch.h"
#include "core/run/cpu/families.h"

namespace stashscope::cpu {

namespace {

void shares_memory(const KernelContext& context) {
  const TensorView& from = context.in(0);
  const TensorView& to = context.out();
  if (from.data == to.data || to.elements() == 0) return;
  std::memcpy(to.data, from.data,
              static_cast<std::size_t>(packed_bytes(from.element, from.elements())));
}

void shape_of(const KernelContext& context) {
  const std::int64_t rank = context.in(0).rank();
  std::int64_t start = context.attributes().integer("start", 0);
  if (start < 0) start += rank;
  start = std::max<std::int64_t>(start, 0);
  const auto out = context.out().as<std::int64_t>();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = context.in(0).dims[static_cast<std::size_t>(start) + i];
  }
}

void size_of(const KernelContext& context) {
  context.out().as<std::int64_t>()[0] = context.in(0).elements();
}

}  // namespace

void add_shape_kernels(KernelRegistry& registry) {
  for (const char* type : {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"}) {
    registry.add("", type, {shares_memory});
  }
  registry.add("", "Shape", {shape_of});
  registry.add("", "Size", {size_of});
}

}  // namespace stashscope::cpu
