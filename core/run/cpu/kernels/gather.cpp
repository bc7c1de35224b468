// Reading and writing by index.

#include <cstring>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/indices.h"
#include "core/run/cpu/primitives/strided_copy.h"
#include "core/run/shared/wrapping.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

void gather(const KernelContext& context) {
  const AxisSplit split = split_at(context.in(0).dims, context.attributes().integer("axis", 0));
  gather_rows(context.in(0), split, wrapped_indices(context.in(1), split.size), context.out());
}

/// Inputs (shape, indices, dy)
void gather_grad(const KernelContext& context) {
  const TensorView& out = context.out();
  const AxisSplit split = split_at(out.dims, context.attributes().integer("axis", 0));
  const Dims indices = wrapped_indices(context.in(1), split.size);
  accumulate(context.in(2), out,
             [&](const auto* dy, auto* dx) { add_rows(dy, split, indices, dx); });
}

/// Calls `body(position, offset)` for every element of `indices`. `position` is the element's flat
/// position in `indices`. `offset` is the offset of the data element that the index selects along
/// `axis`.
template <class Body>
void for_each_element(const TensorView& indices, const Dims& data, std::int64_t axis, Body body) {
  Dims strides = dense_strides(data);
  const std::size_t along = axis_in(axis, std::ssize(data));
  const std::int64_t stride = std::exchange(strides[along], 0);
  const Dims list = wrapped_indices(indices, data[along]);
  const StridedWalk<2> walk(indices.dims, {dense_strides(indices.dims), strides});
  walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
    for (std::int64_t i = 0; i < count; ++i) {
      const auto position = static_cast<std::size_t>(at[0] + i);
      body(position, static_cast<std::size_t>(at[1] + i * step[1] + list[position] * stride));
    }
  });
}

void gather_elements(const KernelContext& context) {
  const TensorView& data = context.in(0);
  with_size(element_size(data.element), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto from = data.as<T>();
    const auto to = context.out().as<T>();
    for_each_element(
        context.in(1), data.dims, context.attributes().integer("axis", 0),
        [&](std::size_t position, std::size_t offset) { to[position] = from[offset]; });
  });
}

/// Inputs (dy, shape, indices)
void gather_elements_grad(const KernelContext& context) {
  const TensorView& out = context.out();
  accumulate(context.in(0), out, [&](const auto* dy, auto* dx) {
    for_each_element(context.in(2), out.dims, context.attributes().integer("axis", 0),
                     [&](std::size_t position, std::size_t offset) { dx[offset] += dy[position]; });
  });
}

/// The slices of the data that index tuples address. Data and indices share `batch` leading axes.
/// The last axis of the indices holds a tuple: one index for the first data axis after the batch
/// axes, one for the second, and so on. (ONNX, GatherND)
struct Slices {
  Dims offsets;
  std::int64_t length = 1;
};

Slices slices_of(const TensorView& indices, const Dims& data, std::int64_t batch) {
  const std::int64_t depth = indices.dims.back();
  const auto first = static_cast<std::size_t>(batch);
  const auto last = static_cast<std::size_t>(batch + depth);
  const Dims strides = dense_strides(data);
  const Dims list = as_integers(indices);
  Slices slices;
  for (std::size_t i = last; i < data.size(); ++i) slices.length *= data[i];
  const auto outer = std::span(indices.dims).first(indices.dims.size() - 1);
  const std::int64_t per_batch = element_count(outer.subspan(first));
  const std::int64_t batch_stride = element_count(std::span(data).subspan(first));
  const std::int64_t tuples = element_count(outer);
  for (std::int64_t tuple = 0; tuple < tuples; ++tuple) {
    std::int64_t offset = tuple / std::max<std::int64_t>(per_batch, 1) * batch_stride;
    for (std::size_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(tuple * depth) + i - first;
      offset += wrapped(list[at], data[i]) * strides[i];
    }
    slices.offsets.push_back(offset);
  }
  return slices;
}

void gather_nd(const KernelContext& context) {
  const TensorView& data = context.in(0);
  const Slices slices =
      slices_of(context.in(1), data.dims, context.attributes().integer("batch_dims", 0));
  const std::size_t size = element_size(data.element);
  const std::size_t bytes = static_cast<std::size_t>(slices.length) * size;
  std::byte* to = context.out().data;
  for (const std::int64_t offset : slices.offsets) {
    std::memcpy(to, data.data + static_cast<std::size_t>(offset) * size, bytes);
    to += bytes;
  }
}

/// Inputs (shape, indices, dy)
void gather_nd_grad(const KernelContext& context) {
  const TensorView& out = context.out();
  const Slices slices =
      slices_of(context.in(1), out.dims, context.attributes().integer("batch_dims", 0));
  accumulate(context.in(2), out, [&](const auto* dy, auto* dx) {
    for (const std::int64_t offset : slices.offsets) {
      for (std::int64_t i = 0; i < slices.length; ++i) dx[offset + i] += *dy++;
    }
  });
}

/// Calls `body(combine)` with the function for the attribute `reduction`; combine(old, update)
/// returns the new element.
template <class C, class Body>
void with_reduction(const KernelContext& context, Body body) {
  const std::string reduction = context.attributes().text("reduction", "none");
  if (reduction == "none") return body([](C, C update) { return update; });
  if (reduction == "add") return body([](C old, C update) { return wrapping_sum(old, update); });
  if (reduction == "mul")
    return body([](C old, C update) { return wrapping_product(old, update); });
  if (reduction == "max") return body([](C old, C update) { return std::max(old, update); });
  if (reduction == "min") return body([](C old, C update) { return std::min(old, update); });
  fail_run("", "has the unknown reduction '" + printable(reduction) + "'");
}

/// Calls `each(write)`. `write(offset, position)` combines the update at `position` with the
/// output's element at `offset`.
template <class Each>
void scatter(const KernelContext& context, Each each) {
  copy_all(context.in(0), context.out());
  with_any(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const auto updates = context.in(2).as<T>();
    const auto out = context.out().as<T>();
    with_reduction<C>(context, [&](auto combine) {
      each([&](std::size_t offset, std::size_t position) {
        out[offset] =
            static_cast<T>(combine(static_cast<C>(out[offset]), static_cast<C>(updates[position])));
      });
    });
  });
}

void scatter_elements(const KernelContext& context) {
  scatter(context, [&](auto write) {
    for_each_element(context.in(1), context.out().dims, context.attributes().integer("axis", 0),
                     [&](std::size_t position, std::size_t offset) { write(offset, position); });
  });
}

void scatter_nd(const KernelContext& context) {
  const Slices slices = slices_of(context.in(1), context.out().dims, 0);
  scatter(context, [&](auto write) {
    std::size_t position = 0;
    for (const std::int64_t offset : slices.offsets) {
      for (std::int64_t i = 0; i < slices.length; ++i) {
        write(static_cast<std::size_t>(offset + i), position++);
      }
    }
  });
}

/// Inputs: cache, updates and, optionally, the first position to write for each item of the batch.
/// Writes the updates into a copy of the cache. Cache and updates have dims [batch, ..., positions,
/// ...]; the attribute `axis` is the axis of the positions.
void tensor_scatter(const KernelContext& context) {
  const TensorView& updates = context.in(1);
  const TensorView& out = context.out();
  const std::int64_t axis = context.attributes().integer("axis", -2);
  const AxisSplit to = split_at(out.dims, axis);
  const std::int64_t count = split_at(updates.dims, axis).size;
  const bool circular = context.attributes().text("mode", "linear") == "circular";
  const Dims starts = context.has_input(2) ? as_integers(context.in(2)) : Dims(1, 0);
  const std::size_t bytes = static_cast<std::size_t>(to.inner) * element_size(out.element);
  const std::int64_t per_entry = to.outer / std::max<std::int64_t>(1, out.dim(0));
  const auto in_circle = [&](std::int64_t position) {
    return circular && position >= 0 && to.size > 0 ? position % to.size : position;
  };
  copy_all(context.in(0), out);
  for (std::int64_t row = 0; row < to.outer * count; ++row) {
    const auto entry = static_cast<std::size_t>(row / count / per_entry);
    std::int64_t at = in_circle(starts[starts.size() == 1 ? 0 : entry]);
    if (at < to.size) at = in_circle(at + row % count);
    if (at < 0 || at >= to.size) {
      fail_run("", "writes to position " + std::to_string(at) +
                       ", which is outside of an axis of " + std::to_string(to.size) + " elements");
    }
    std::memcpy(out.data + static_cast<std::size_t>(row / count * to.size + at) * bytes,
                updates.data + static_cast<std::size_t>(row) * bytes, bytes);
  }
}

/// Inputs (data, lengths)
void reverse_sequence(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const bool batch_first = context.attributes().integer("batch_axis", 1) == 0;
  const Dims lengths = as_integers(context.in(1));
  const std::size_t bytes = static_cast<std::size_t>(element_count(std::span(in.dims).subspan(2))) *
                            element_size(in.element);
  for (std::int64_t row = 0; row < in.dim(0) * in.dim(1); ++row) {
    const std::int64_t first = row / in.dim(1);
    const std::int64_t second = row % in.dim(1);
    const std::int64_t time = batch_first ? second : first;
    const std::int64_t length = lengths[static_cast<std::size_t>(batch_first ? first : second)];
    if (length < 0 || length > in.dim(batch_first ? 1 : 0)) {
      fail_run("", "the sequence length " + std::to_string(length) +
                       " is negative or exceeds the time axis of the data");
    }
    const std::int64_t source = time < length ? length - 1 - time : time;
    const std::int64_t from =
        batch_first ? first * in.dim(1) + source : source * in.dim(1) + second;
    std::memcpy(context.out().data + static_cast<std::size_t>(row) * bytes,
                in.data + static_cast<std::size_t>(from) * bytes, bytes);
  }
}

/// Inputs (indices, depth, values). `values` holds the value for off, then the value for on. An
/// index outside of [-depth, depth) gives a row in which every element is off.
void one_hot(const KernelContext& context) {
  const TensorView& out = context.out();
  std::int64_t axis = context.attributes().integer("axis", -1);
  if (axis < 0) axis += out.rank();
  const AxisSplit split = split_at(out.dims, axis);
  const Dims indices = numbers_of<std::int64_t>(context.in(0));
  with_size(element_size(out.element), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto values = context.in(2).as<T>();
    const auto items = out.as<T>();
    std::fill(items.begin(), items.end(), values[0]);
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::int64_t index = indices[i] < 0 ? indices[i] + split.size : indices[i];
      if (index < 0 || index >= split.size) continue;
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t row = at / split.inner * split.size + index;
      items[static_cast<std::size_t>(row * split.inner + at % split.inner)] = values[1];
    }
  });
}

/// Flat positions of the elements that are not zero.
Dims nonzero_positions(const TensorView& data) {
  Dims positions;
  with_any(data.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto items = data.as<T>();
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto item = static_cast<Compute<T>>(items[i]);
      if (item != Compute<T>(0)) positions.push_back(static_cast<std::int64_t>(i));
    }
  });
  return positions;
}

std::vector<Dims> non_zero_size(const KernelContext& context) {
  return {{context.in(0).rank(), std::ssize(nonzero_positions(context.in(0)))}};
}

/// Stores the index of each element that is not zero, with one row per axis and one column per
/// element.
void non_zero(const KernelContext& context) {
  const TensorView& data = context.in(0);
  const Dims strides = dense_strides(data.dims);
  const Dims positions = nonzero_positions(data);
  auto to = context.out().as<std::int64_t>().begin();
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    for (const std::int64_t position : positions) {
      *to++ = position / strides[axis] % data.dims[axis];
    }
  }
}

/// Splits a tensor at its first two axes, which count as one axis of rows.
AxisSplit rows_of(const TensorView& whole) {
  return {1, whole.dim(0) * whole.dim(1), element_count(std::span(whole.dims).subspan(2))};
}

/// Inputs (data, row indices)
void flatten_and_unpad(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const AxisSplit rows = rows_of(in);
  gather_rows(in, rows, wrapped_indices(context.in(1), rows.size), context.out());
  if (!context.has_output(1)) return;
  const auto leading = context.out(1).as<std::int64_t>();
  leading[0] = in.dim(0);
  leading[1] = in.dim(1);
}

/// Inputs (packed rows, row indices, leading dims)
void pad_and_unflatten(const KernelContext& context) {
  const TensorView& out = context.out();
  const AxisSplit rows = rows_of(out);
  const std::size_t bytes = static_cast<std::size_t>(rows.inner) * element_size(out.element);
  std::memset(out.data, 0, static_cast<std::size_t>(rows.size) * bytes);
  const std::byte* from = context.in(0).data;
  for (const std::int64_t place : wrapped_indices(context.in(1), rows.size)) {
    std::memcpy(out.data + static_cast<std::size_t>(place) * bytes, from, bytes);
    from += bytes;
  }
}

}  // namespace

void add_gather_kernels(KernelRegistry& registry) {
  registry.add("", "Gather", {gather});
  registry.add("", "GatherElements", {gather_elements});
  registry.add("", "GatherND", {gather_nd});
  registry.add("", "ScatterElements", {scatter_elements});
  registry.add("", "Scatter", {scatter_elements});
  registry.add("", "ScatterND", {scatter_nd});
  registry.add("", "TensorScatter", {tensor_scatter});
  registry.add("", "ReverseSequence", {reverse_sequence});
  registry.add("", "OneHot", {one_hot});
  registry.add("", "NonZero", {non_zero, non_zero_size});
  for (const char* domain : {"", "com.microsoft"}) {
    registry.add(domain, "GatherGrad", {gather_grad});
    registry.add(domain, "GatherNDGrad", {gather_nd_grad});
  }
  registry.add("com.microsoft", "GatherElementsGrad", {gather_elements_grad});
  registry.add("com.microsoft", "FlattenAndUnpad", {flatten_and_unpad});
  registry.add("com.microsoft", "PadAndUnflatten", {pad_and_unflatten});
}

}  // namespace stashscope::cpu
