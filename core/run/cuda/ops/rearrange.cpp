// Operators that permute or repeat axes.

#include "core/run/cuda/codegen/strided_copy.h"
#include "core/run/cuda/ops/families.h"
#include "core/run/shared/walk.h"

namespace stashscope::cuda {

namespace {

using Dims = std::vector<std::int64_t>;

/// Fills the output from input 0. `sizes` are the dims of the output, `strides` the strides of the
/// input along the output's axes.
Lowered gathered(const LoweringContext& context, const Dims& sizes, Dims strides) {
  Lowered lowered;
  add_strided_copy(lowered, context.out().element, sizes, {input(0), std::move(strides)},
                   whole(output(), sizes));
  return lowered;
}

/// Copies input 0, seen as a tensor of `dims`, with its axes in the order `permutation`.
Lowered permuted(const LoweringContext& context, const Dims& dims, const Dims& permutation) {
  const Dims strides = kernels::dense_strides(dims);
  Dims sizes;
  Dims steps;
  for (const std::int64_t axis : permutation) {
    sizes.push_back(dims[static_cast<std::size_t>(axis)]);
    steps.push_back(strides[static_cast<std::size_t>(axis)]);
  }
  return gathered(context, sizes, std::move(steps));
}

Lowered transpose(const LoweringContext& context) {
  Dims permutation = context.attributes().integers("perm");
  if (permutation.empty()) {
    for (std::int64_t axis = context.in().rank(); axis-- > 0;) permutation.push_back(axis);
  }
  return permuted(context, context.in().dims, permutation);
}

/// Moves each channel of the data to one place (row, column) of the blocks and to one channel of
/// the result. The channels of the data are in the row-major order of (row, column, channel of the
/// result) or, in mode CRD, of (channel of the result, row, column). (ONNX, DepthToSpace)
Lowered depth_to_space(const LoweringContext& context) {
  const Dims& x = context.in().dims;
  const std::int64_t block = context.attributes().require_integer("blocksize");
  const std::int64_t depth = x[1] / (block * block);
  if (context.attributes().text("mode", "DCR") == "CRD") {
    return permuted(context, {x[0], depth, block, block, x[2], x[3]}, {0, 1, 4, 2, 5, 3});
  }
  return permuted(context, {x[0], block, block, depth, x[2], x[3]}, {0, 3, 4, 1, 5, 2});
}

Lowered space_to_depth(const LoweringContext& context) {
  const Dims& x = context.in().dims;
  const std::int64_t block = context.attributes().require_integer("blocksize");
  return permuted(context, {x[0], x[1], x[2] / block, block, x[3] / block, block},
                  {0, 3, 5, 1, 2, 4});
}

Lowered expand(const LoweringContext& context) {
  return gathered(context, context.out().dims,
                  kernels::broadcast_strides(context.out().dims, context.in().dims));
}

/// Treats every axis as two axes, (repeats, size).
Lowered tile(const LoweringContext& context) {
  const Dims& dims = context.in().dims;
  const Dims in_strides = kernels::dense_strides(dims);
  Dims sizes;
  Dims strides;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const std::int64_t repeats = dims[i] == 0 ? 0 : context.out().dims[i] / dims[i];
    sizes.insert(sizes.end(), {repeats, dims[i]});
    strides.insert(strides.end(), {0, in_strides[i]});
  }
  return gathered(context, sizes, std::move(strides));
}

}  // namespace

void add_rearrange_kernels(CudaKernelRegistry& registry) {
  registry.add("", "Transpose", {.lower = transpose});
  registry.add("", "DepthToSpace", {.lower = depth_to_space});
  registry.add("", "SpaceToDepth", {.lower = space_to_depth});
  registry.add("", "Expand", {.lower = expand, .host_inputs = {1}});
  registry.add("", "Tile", {.lower = tile, .host_inputs = {1}});
}

}  // namespace stashscope::cuda
