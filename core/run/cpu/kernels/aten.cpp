// Operators of PyTorch's ATen library in training graphs that were exported from PyTorch.

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/indices.h"

namespace stashscope::cpu {

namespace {

/// Inputs (weight, indices, ...). Reads rows of the weight.
void embedding(const KernelContext& context) {
  const AxisSplit split = split_at(context.in(0).dims, 0);
  gather_rows(context.in(0), split, wrapped_indices(context.in(1), split.size), context.out());
}

/// Inputs (gradient, indices, number of rows, row without a gradient, whether to scale by
/// frequency, ...)
void embedding_backward(const KernelContext& context) {
  const AxisSplit split = split_at(context.out().dims, 0);
  const auto indices = wrapped_indices(context.in(1), split.size);
  const auto padding =
      context.has_input(3) ? static_cast<std::int64_t>(as_number(context.in(3))) : -1;
  if (context.has_input(4) && as_number(context.in(4)) != 0) {
    fail_run("", "scales gradients by frequency, which is not supported");
  }
  accumulate(context.in(0), context.out(), [&](const auto* dy, auto* dx) {
    add_rows(dy, split, indices, dx);
    if (padding >= 0) std::fill_n(dx + wrapped(padding, split.size) * split.inner, split.inner, 0);
  });
}

void aten(const KernelContext& context) {
  const std::string name = context.attributes().text("operator", "");
  if (name == "embedding") return embedding(context);
  if (name == "embedding_backward") return embedding_backward(context);
  fail_run("", "there is no CPU kernel for PyTorch's operator '" + printable(name) + "'");
}

}  // namespace

void add_aten_kernels(KernelRegistry& registry) {
  registry.add("org.pytorch.aten", "ATen", {aten});
}

}  // namespace stashscope::cpu
