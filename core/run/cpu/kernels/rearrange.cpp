// Blocks of space moved into channels and back, and elements picked by a condition.

#include <array>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/indices.h"
#include "core/run/cpu/primitives/strided_copy.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

/// Input 0, seen as a tensor of `dims`, with its axes in the order `permutation`.
void permute(const KernelContext& context, const Dims& dims,
             const std::array<std::size_t, 6>& permutation) {
  const Dims strides = dense_strides(dims);
  Dims sizes;
  Dims steps;
  for (const std::size_t axis : permutation) {
    sizes.push_back(dims[axis]);
    steps.push_back(strides[axis]);
  }
  copy_strided(context.out().element, sizes, {context.in(0).data, std::move(steps), 0},
               {context.out().data, dense_strides(sizes), 0});
}

/// (ONNX, DepthToSpace) Depth, column, row or column, row, depth.
void depth_to_space(const KernelContext& context) {
  const Dims& x = context.in(0).dims;
  const std::int64_t block = context.attributes().require_integer("blocksize");
  const std::int64_t depth = x[1] / (block * block);
  if (context.attributes().text("mode", "DCR") == "CRD") {
    return permute(context, {x[0], depth, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
  }
  permute(context, {x[0], block, block, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
}

void space_to_depth(const KernelContext& context) {
  const Dims& x = context.in(0).dims;
  const std::int64_t block = context.attributes().require_integer("blocksize");
  permute(context, {x[0], x[1], x[2] / block, block, x[3] / block, block}, {0, 3, 5, 1, 2, 4});
}

std::vector<std::int64_t> chosen_positions(const KernelContext& context) {
  std::vector<std::int64_t> chosen;
  const auto flags = context.in(1).as<bool>();
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (flags[i]) chosen.push_back(static_cast<std::int64_t>(i));
  }
  return chosen;
}

std::vector<Dims> compress_size(const KernelContext& context) {
  const auto count = std::ssize(chosen_positions(context));
  if (!context.attributes().has("axis")) return {{count}};
  Dims dims = context.in(0).dims;
  dims[axis_in(context.attributes().integer("axis", 0), std::ssize(dims))] = count;
  return {std::move(dims)};
}

void compress(const KernelContext& context) {
  const TensorView& data = context.in(0);
  const bool flat = !context.attributes().has("axis");
  const AxisSplit split = flat ? AxisSplit{1, data.elements(), 1}
                               : split_at(data.dims, context.attributes().integer("axis", 0));
  const std::vector<std::int64_t> chosen = chosen_positions(context);
  if (!chosen.empty() && chosen.back() >= split.size) {
    fail_run("", "its condition is longer than the data");
  }
  gather_rows(data, split, chosen, context.out());
}

}  // namespace

void add_rearrange_kernels(KernelRegistry& registry) {
  registry.add("", "DepthToSpace", {depth_to_space});
  registry.add("", "SpaceToDepth", {space_to_depth});
  registry.add("", "Compress", {compress, compress_size});
}

}  // namespace stashscope::cpu
