// Cutting tensors apart along axes and joining them: Slice, Split, Concat, Pad, Trilu.

#include <algorithm>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/indices.h"
#include "core/run/cpu/primitives/strided_copy.h"
#include "core/run/shared/padding.h"
#include "core/run/shared/slices.h"
#include "core/run/shared/sliding_window.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

/// The part of `tensor` that a slice selects.
StridedPlace sliced(const TensorView& tensor, const SliceNumbers& numbers) {
  SlicedLayout layout = sliced_layout(tensor.dims, numbers);
  return {tensor.data, std::move(layout.strides), layout.offset};
}

void slice(const KernelContext& context) {
  const TensorView& out = context.out();
  const SliceNumbers numbers = context.version < 10 ? slice_attributes(context.attributes())
                                                    : slice_operands(context.inputs, 1);
  copy_strided(out.element, out.dims, sliced(context.in(0), numbers), whole(out));
}

/// Inputs (dY, shape of X, starts, ends, axes, steps)
void slice_grad(const KernelContext& context) {
  fill_zero(context.out());
  const TensorView& dy = context.in(0);
  copy_strided(dy.element, dy.dims, whole(dy),
               sliced(context.out(), slice_operands(context.inputs, 2)));
}

/// Calls `body(part, place)` for each present part. The parts lie one after another in `joined`,
/// along `axis`. `place` gives the elements of the part within `joined`.
template <class Body>
void for_each_part(const TensorView& joined, const std::vector<TensorView>& parts,
                   std::int64_t axis, Body body) {
  StridedPlace place = whole(joined);
  const std::size_t along = axis_in(axis, joined.rank());
  for (const TensorView& part : parts) {
    if (!part.present()) continue;
    body(part, place);
    place.offset += part.dims[along] * place.strides[along];
  }
}

void split(const KernelContext& context) {
  for_each_part(context.in(0), context.outputs, context.attributes().integer("axis", 0),
                [](const TensorView& part, const StridedPlace& place) {
                  copy_strided(part.element, part.dims, place, whole(part));
                });
}

void concat(const KernelContext& context) {
  for_each_part(context.out(), context.inputs, context.attributes().integer("axis", 1),
                [](const TensorView& part, const StridedPlace& place) {
                  copy_strided(part.element, part.dims, whole(part), place);
                });
}

/// Concatenates, and stores the length of each input along the axis as output 1.
void concat_training(const KernelContext& context) {
  concat(context);
  if (!context.has_output(1)) return;
  const auto lengths = context.out(1).as<std::int64_t>();
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lengths[i] = context.in(i).dim(context.attributes().integer("axis", 1));
  }
}

/// For each axis and each position on the padded axis: the position of the data that is copied
/// there, or constant_padding if no data is copied.
std::vector<Dims> padded_sources(const std::string& mode, const Dims& before, const Dims& padded,
                                 const Dims& data) {
  std::vector<Dims> sources;
  for (std::size_t axis = 0; axis < data.size(); ++axis) {
    Dims list;
    for (std::int64_t i = 0; i < padded[axis]; ++i) {
      list.push_back(padded_source(mode, i - before[axis], data[axis]));
    }
    sources.push_back(std::move(list));
  }
  return sources;
}

/// Calls `body(offset in the padded tensor, offset in the data or constant_padding)` for all
/// positions.
template <class Body>
void for_each_padded(const std::vector<Dims>& sources, const Dims& data, Body body) {
  if (sources.empty()) return body(0, 0);
  Dims outer_sizes;
  for (const Dims& list : sources) outer_sizes.push_back(std::ssize(list));
  if (positions(outer_sizes) == 0) return;
  outer_sizes.pop_back();
  const Dims strides = dense_strides(data);
  Dims index(outer_sizes.size(), 0);
  std::int64_t to = 0;
  do {
    std::int64_t row = 0;
    for (std::size_t axis = 0; axis < index.size() && row != constant_padding; ++axis) {
      const std::int64_t source = sources[axis][static_cast<std::size_t>(index[axis])];
      row = source == constant_padding ? constant_padding : row + source * strides[axis];
    }
    for (const std::int64_t source : sources.back()) {
      body(to++,
           row == constant_padding || source == constant_padding ? constant_padding : row + source);
    }
  } while (next_position(index, outer_sizes));
}

/// Inputs (data, pads, [value], [axes])
void pad(const KernelContext& context) {
  const TensorView& data = context.in(0);
  const TensorView& out = context.out();
  const std::string mode = context.attributes().text("mode", "constant");
  const auto sources = padded_sources(
      mode,
      pads_before(context.inputs, context.attributes(), context.version, 1, 3, data.dims, out.dims),
      out.dims, data.dims);
  with_any(out.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T value =
        context.has_input(2)
            ? context.in(2).as<T>()[0]
            : static_cast<T>(static_cast<Compute<T>>(context.attributes().real("value", 0)));
    const T* const from = data.as<T>().data();
    T* const to = out.as<T>().data();
    for_each_padded(sources, data.dims, [&](std::int64_t at, std::int64_t source) {
      to[at] = source == constant_padding ? value : from[source];
    });
  });
}

/// (dY, shape of the data, pads, [axes]): every element receives the gradients of all its copies.
void pad_grad(const KernelContext& context) {
  const TensorView& dy = context.in(0);
  const TensorView& out = context.out();
  const std::string mode = context.attributes().text("mode", "constant");
  const auto sources = padded_sources(
      mode,
      pads_before(context.inputs, context.attributes(), context.version, 2, 3, out.dims, dy.dims),
      dy.dims, out.dims);
  accumulate(dy, out, [&](const auto* arrived, auto* dx) {
    for_each_padded(sources, out.dims, [&](std::int64_t at, std::int64_t source) {
      if (source != constant_padding) dx[source] += arrived[at];
    });
  });
}

/// Keeps the elements on and above (or below) the k-th diagonal of the last two axes.
void trilu(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const bool upper = context.attributes().integer("upper", 1) != 0;
  const std::int64_t k = context.has_input(1) ? as_integer(context.in(1)) : 0;
  const std::int64_t columns = in.dim(-1);
  const std::int64_t rows = in.dim(-2);
  with_size(element_size(in.element), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto from = in.as<T>();
    const auto to = context.out().as<T>();
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t diagonal = at % columns - at / columns % rows;
      to[i] = (upper ? diagonal >= k : diagonal <= k) ? from[i] : T(0);
    }
  });
}

}  // namespace

void add_slicing_kernels(KernelRegistry& registry) {
  registry.add("", "Slice", {slice});
  registry.add("com.microsoft", "SliceGrad", {slice_grad});
  registry.add("", "Split", {split});
  registry.add("", "Concat", {concat});
  registry.add("com.microsoft", "ConcatTraining", {concat_training});
  registry.add("", "Pad", {pad});
  registry.add("com.microsoft", "PadGrad", {pad_grad});
  registry.add("", "Trilu", {trilu});
}

}  // namespace stashscope::cpu
