// Spatial blocks moved into channels and back, images from overlapping blocks, centred cropping and
// padding, elements selected by a condition, and distinct elements.

#include <algorithm>
#include <array>
#include <numeric>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/indices.h"
#include "core/run/cpu/primitives/strided_copy.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

/// Stores input 0, seen as a tensor of `dims`, with its axes in the order `permutation`.
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

/// Replaces each pixel of the data by a block of pixels of the result. Each channel of the data
/// holds the pixels of one row and column within the blocks, for one channel of the result. The
/// channels of the data are in the row-major order of (row, column, channel of the result) or, in
/// mode CRD, of (channel of the result, row, column). (ONNX, DepthToSpace)
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

/// One axis of an image that overlapping blocks form.
struct BlockAxis {
  std::int64_t image = 1;
  std::int64_t block = 1;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;
  std::int64_t blocks = 1;

  /// The position of `element` of block `which` in the image. Elements in the padding have
  /// positions outside of the image.
  std::int64_t position(std::int64_t which, std::int64_t element) const {
    return which * stride + element * dilation - pad;
  }
};

/// @param image dims of the whole image: batch, channels, spatial axes
std::vector<BlockAxis> block_axes(const KernelContext& context, const Dims& image,
                                  const Dims& block) {
  const auto number = [&](const char* name, std::size_t axis, std::int64_t otherwise) {
    const Integers list = context.attributes().integers(name);
    return axis < list.size() ? list[axis] : otherwise;
  };
  std::vector<BlockAxis> axes;
  for (std::size_t i = 0; i < block.size(); ++i) {
    BlockAxis axis = {image[i + 2], block[i], number("strides", i, 1), number("dilations", i, 1),
                      number("pads", i, 0)};
    const std::int64_t padded = axis.image + axis.pad + number("pads", i + block.size(), 0);
    if (axis.stride < 1) fail_run("", "its strides must be at least 1");
    axis.blocks = (padded - axis.dilation * (axis.block - 1) - 1) / axis.stride + 1;
    axes.push_back(axis);
  }
  return axes;
}

/// Calls `body(offset in the image, offset in the blocks)` for every element that lies in the
/// image, over all blocks of one channel.
template <class Body>
void for_each_block_element(const std::vector<BlockAxis>& axes, Body body) {
  std::int64_t elements = 1;
  std::int64_t blocks = 1;
  for (const BlockAxis& axis : axes) {
    elements *= axis.block;
    blocks *= axis.blocks;
  }
  for (std::int64_t place = 0; place < elements * blocks; ++place) {
    std::int64_t element = place / blocks;
    std::int64_t which = place % blocks;
    std::int64_t offset = 0;
    std::int64_t stride = 1;
    bool inside = true;
    for (std::size_t i = axes.size(); i-- > 0 && inside;) {
      const std::int64_t at = axes[i].position(which % axes[i].blocks, element % axes[i].block);
      inside = at >= 0 && at < axes[i].image;
      offset += at * stride;
      stride *= axes[i].image;
      which /= axes[i].blocks;
      element /= axes[i].block;
    }
    if (inside) body(offset, place);
  }
}

/// Throws a run Error when the blocks do not fit the image. Shape inference cannot check this,
/// because only a run knows all sizes.
void require_blocks(const TensorView& image, const TensorView& columns, const Dims& block) {
  std::int64_t elements = 1;
  for (const std::int64_t size : block) elements *= size;
  const bool fits = columns.rank() == 3 && image.rank() == std::ssize(block) + 2 &&
                    columns.dim(0) == image.dim(0) && columns.dim(1) == image.dim(1) * elements;
  if (!fits) fail_run("", "has blocks that do not fit its image in rank, batch or channels");
}

/// Calls `body(offset in the image, offset in the blocks)` for the block elements of all channels.
template <class Body>
void for_each_block_element(const KernelContext& context, const TensorView& image,
                            const TensorView& columns, Body body) {
  const Dims block = as_integers(context.in(2));
  require_blocks(image, columns, block);
  const std::vector<BlockAxis> axes = block_axes(context, image.dims, block);
  std::int64_t expected = 1;
  for (const BlockAxis& axis : axes) expected *= axis.blocks;
  if (expected != columns.dim(2)) {
    fail_run("", "has " + std::to_string(columns.dim(2)) + " blocks, but its image consists of " +
                     std::to_string(expected));
  }
  const std::int64_t planes = image.dim(0) * image.dim(1);
  if (planes == 0) return;
  const std::int64_t plane = image.elements() / planes;
  const std::int64_t columns_of_plane = columns.elements() / planes;
  for (std::int64_t i = 0; i < planes; ++i) {
    for_each_block_element(axes, [&](std::int64_t offset, std::int64_t place) {
      body(i * plane + offset, i * columns_of_plane + place);
    });
  }
}

/// (blocks, image dims, block dims): overlapping blocks are added up.
void col_to_im(const KernelContext& context) {
  accumulate(context.in(0), context.out(), [&](const auto* columns, auto* image) {
    for_each_block_element(context, context.out(), context.in(0),
                           [&](std::int64_t to, std::int64_t from) { image[to] += columns[from]; });
  });
}

/// Inputs (gradient of the image, dims of the blocks, block dims)
void col_to_im_grad(const KernelContext& context) {
  accumulate(context.in(0), context.out(), [&](const auto* image, auto* columns) {
    for_each_block_element(context, context.in(0), context.out(),
                           [&](std::int64_t from, std::int64_t to) { columns[to] += image[from]; });
  });
}

/// (data, sizes): crops or pads every axis equally at both ends; the padding is 0.
void center_crop_pad(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const TensorView& out = context.out();
  StridedPlace from = whole(in);
  StridedPlace to = whole(out);
  Dims sizes;
  for (std::size_t axis = 0; axis < in.dims.size(); ++axis) {
    sizes.push_back(std::min(in.dims[axis], out.dims[axis]));
    from.offset += (in.dims[axis] - sizes[axis]) / 2 * from.strides[axis];
    to.offset += (out.dims[axis] - sizes[axis]) / 2 * to.strides[axis];
  }
  fill_zero(out);
  copy_strided(out.element, sizes, from, to);
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

/// The distinct slices of a tensor along an axis, or its distinct elements.
struct Distinct {
  AxisSplit split;
  Dims first;    ///< by distinct slice: position of its first occurrence
  Dims inverse;  ///< by slice: index of its distinct slice
  Dims counts;
};

/// Whether slice `a` comes before slice `b`, element by element; numbers come before NaN.
template <class T>
bool slice_before(const T* items, const AxisSplit& split, std::int64_t a, std::int64_t b) {
  for (std::int64_t i = 0; i < split.outer * split.inner; ++i) {
    const std::int64_t row = i / split.inner * split.size;
    const auto x = static_cast<Compute<T>>(items[(row + a) * split.inner + i % split.inner]);
    const auto y = static_cast<Compute<T>>(items[(row + b) * split.inner + i % split.inner]);
    if (x < y || (x == x && y != y)) return true;
    if (y < x || (y == y && x != x)) return false;
  }
  return false;
}

Distinct distinct_slices(const KernelContext& context) {
  const TensorView& data = context.in(0);
  Distinct result;
  result.split = context.attributes().has("axis")
                     ? split_at(data.dims, context.attributes().integer("axis", 0))
                     : AxisSplit{1, data.elements(), 1};
  with_any(data.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const items = data.as<T>().data();
    const auto before = [&](std::int64_t a, std::int64_t b) {
      return slice_before(items, result.split, a, b);
    };
    Dims order(static_cast<std::size_t>(result.split.size));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), before);
    result.inverse.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (i == 0 || before(order[i - 1], order[i])) {
        result.first.push_back(order[i]);
        result.counts.push_back(0);
      }
      ++result.counts.back();
      result.inverse[static_cast<std::size_t>(order[i])] = std::ssize(result.first) - 1;
    }
  });
  return result;
}

/// Numbers the distinct slices by their first occurrence.
void order_by_occurrence(Distinct& distinct) {
  Dims order(distinct.first.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
    return distinct.first[static_cast<std::size_t>(a)] <
           distinct.first[static_cast<std::size_t>(b)];
  });
  Dims place(order.size());
  const Distinct sorted = distinct;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::size_t>(order[i]);
    place[from] = static_cast<std::int64_t>(i);
    distinct.first[i] = sorted.first[from];
    distinct.counts[i] = sorted.counts[from];
  }
  for (std::int64_t& each : distinct.inverse) each = place[static_cast<std::size_t>(each)];
}

std::vector<Dims> unique_size(const KernelContext& context) {
  const Distinct distinct = distinct_slices(context);
  const std::int64_t count = std::ssize(distinct.first);
  Dims dims = {count};
  if (context.attributes().has("axis")) {
    dims = context.in(0).dims;
    dims[axis_in(context.attributes().integer("axis", 0), std::ssize(dims))] = count;
  }
  return {std::move(dims), {count}, {distinct.split.size}, {count}};
}

/// data -> (distinct, first positions, inverse indices, counts)
void unique(const KernelContext& context) {
  Distinct distinct = distinct_slices(context);
  if (context.attributes().integer("sorted", 1) == 0) order_by_occurrence(distinct);
  if (context.has_output(0)) {
    gather_rows(context.in(0), distinct.split, distinct.first, context.out());
  }
  const Dims* const lists[] = {&distinct.first, &distinct.inverse, &distinct.counts};
  for (std::size_t i = 0; i < std::size(lists); ++i) {
    if (!context.has_output(i + 1)) continue;
    std::copy(lists[i]->begin(), lists[i]->end(), context.out(i + 1).as<std::int64_t>().begin());
  }
}

}  // namespace

void add_rearrange_kernels(KernelRegistry& registry) {
  registry.add("", "DepthToSpace", {depth_to_space});
  registry.add("", "SpaceToDepth", {space_to_depth});
  registry.add("", "Col2Im", {col_to_im});
  registry.add("com.microsoft", "Col2ImGrad", {col_to_im_grad});
  registry.add("", "CenterCropPad", {center_crop_pad});
  registry.add("", "Unique", {unique, unique_size});
  registry.add("", "Compress", {compress, compress_size});
}

}  // namespace stashscope::cpu
