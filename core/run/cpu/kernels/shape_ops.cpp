// Operators that read shapes or move elements. Outputs of Reshape and similar operators can share
// the input's memory; the kernels copy only where an output has its own memory.

#include <algorithm>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/strided_copy.h"
#include "core/run/shared/dispatch.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

void shares_memory(const KernelContext& context) { copy_all(context.in(0), context.out()); }

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

/// Fills the output from input 0; `strides` are the input's strides along the axes of the output.
void copy_by(const KernelContext& context, std::vector<std::int64_t> strides) {
  const TensorView& out = context.out();
  copy_strided(out.element, out.dims, {context.in(0).data, std::move(strides)}, whole(out));
}

void transpose(const KernelContext& context) {
  const std::vector<std::int64_t> strides = dense_strides(context.in(0).dims);
  const Integers perm = context.attributes().integers("perm");
  std::vector<std::int64_t> permuted(strides.rbegin(), strides.rend());
  for (std::size_t i = 0; i < perm.size(); ++i) {
    permuted[i] = strides[static_cast<std::size_t>(perm[i])];
  }
  copy_by(context, std::move(permuted));
}

void expand(const KernelContext& context) {
  copy_by(context, broadcast_strides(context.out().dims, context.in(0).dims));
}

/// Treats every axis as two axes, (repeats, size).
void tile(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const TensorView& out = context.out();
  const std::vector<std::int64_t> in_strides = dense_strides(in.dims);
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
  for (std::size_t i = 0; i < in.dims.size(); ++i) {
    const std::int64_t repeats = in.dims[i] == 0 ? 0 : out.dims[i] / in.dims[i];
    sizes.insert(sizes.end(), {repeats, in.dims[i]});
    strides.insert(strides.end(), {0, in_strides[i]});
  }
  copy_strided(out.element, sizes, {in.data, strides}, {out.data, dense_strides(sizes)});
}

}  // namespace

void add_shape_kernels(KernelRegistry& registry) {
  for (const char* type : {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"}) {
    registry.add("", type, {shares_memory});
  }
  registry.add("", "Shape", {shape_of});
  registry.add("", "Size", {size_of});
  registry.add("", "Transpose", {transpose});
  registry.add("", "Expand", {expand});
  registry.add("", "Tile", {tile});
}

}  // namespace stashscope::cpu
