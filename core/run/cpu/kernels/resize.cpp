// Resize, Upsample and the gradient. Every mode is a weighted sum along one axis after another; the
// gradient is the transposed operation.

#include <algorithm>

#include "core/run/cpu/kernels/families.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/resize_taps.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

/// Calls `body(outer, out position, taps)` for every output position of an axis and every outer
/// index.
template <class Body>
void for_each_row(const ResizedAxis& axis, std::int64_t outer_count, Body body) {
  for (std::int64_t outer = 0; outer < outer_count; ++outer) {
    for (std::int64_t i = 0; i < axis.out; ++i) {
      body(outer, i, axis.taps[static_cast<std::size_t>(i)]);
    }
  }
}

/// Resizes one axis of x and updates `dims`.
template <class C>
std::vector<C> resized(const ResizedAxis& axis, double extrapolation, const std::vector<C>& x,
                       std::vector<std::int64_t>& dims) {
  const AxisSplit split = split_at(dims, static_cast<std::int64_t>(axis.axis));
  std::vector<C> y(static_cast<std::size_t>(split.outer * axis.out * split.inner), C(0));
  for_each_row(axis, split.outer, [&](std::int64_t outer, std::int64_t i, const Taps& taps) {
    C* const to = y.data() + (outer * axis.out + i) * split.inner;
    if (taps.empty()) std::fill_n(to, split.inner, static_cast<C>(extrapolation));
    for (const Tap& tap : taps) {
      const C* const from = x.data() + (outer * axis.in + tap.in) * split.inner;
      const auto weight = static_cast<C>(tap.weight);
      for (std::int64_t k = 0; k < split.inner; ++k) to[k] += weight * from[k];
    }
  });
  dims[axis.axis] = axis.out;
  return y;
}

/// The transposed operation: adds the weighted gradient of each output position to the gradients of
/// its taps.
template <class C>
std::vector<C> resized_back(const ResizedAxis& axis, const std::vector<C>& dy,
                            std::vector<std::int64_t>& dims) {
  const AxisSplit split = split_at(dims, static_cast<std::int64_t>(axis.axis));
  std::vector<C> dx(static_cast<std::size_t>(split.outer * axis.in * split.inner), C(0));
  for_each_row(axis, split.outer, [&](std::int64_t outer, std::int64_t i, const Taps& taps) {
    const C* const from = dy.data() + (outer * axis.out + i) * split.inner;
    for (const Tap& tap : taps) {
      C* const to = dx.data() + (outer * axis.in + tap.in) * split.inner;
      const auto weight = static_cast<C>(tap.weight);
      for (std::int64_t k = 0; k < split.inner; ++k) to[k] += weight * from[k];
    }
  });
  dims[axis.axis] = axis.in;
  return dx;
}

template <class Step>
void resize_by(const KernelContext& context, const std::vector<ResizedAxis>& axes, Step step) {
  const auto run = [&](auto tag) {
    using C = typename decltype(tag)::type;
    std::vector<std::int64_t> dims = context.in(0).dims;
    std::vector<C> items = numbers_of<C>(context.in(0));
    for (const ResizedAxis& axis : axes) items = step(axis, items, dims);
    store_numbers(items, context.out());
  };
  is_floating(context.out().element) ? with_real(context.out().element, run)
                                     : run(TypeTag<double>());
}

void resize_from(const KernelContext& context, const ResizePlaces& places) {
  const Resizing resizing = resizing_of(context.attributes(), context.inputs, places,
                                        context.in(0).dims, context.out().dims);
  resize_by(context, resizing.axes, [&](const ResizedAxis& axis, const auto& x, auto& dims) {
    return resized(axis, resizing.extrapolation, x, dims);
  });
}

void resize(const KernelContext& context) { resize_from(context, resize_places(context.version)); }

void upsample(const KernelContext& context) { resize_from(context, upsample_places); }

/// Inputs (dY, shape of X, [roi], [scales])
void resize_grad(const KernelContext& context) {
  const Resizing resizing = resizing_of(context.attributes(), context.inputs, resize_grad_places,
                                        context.out().dims, context.in(0).dims);
  resize_by(context, resizing.axes, [&](const ResizedAxis& axis, const auto& dy, auto& dims) {
    return resized_back(axis, dy, dims);
  });
}

}  // namespace

void add_resize_kernels(KernelRegistry& registry) {
  registry.add("", "Resize", {resize});
  registry.add("", "Upsample", {upsample});
  registry.add("com.microsoft", "ResizeGrad", {resize_grad});
}

}  // namespace stashscope::cpu
