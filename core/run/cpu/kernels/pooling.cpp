// Pooling over windows and over all positions, and the gradients.

#include <cmath>
#include <limits>

#include "core/ops/rules/window.h"
#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/indices.h"
#include "core/run/cpu/primitives/strided_copy.h"
#include "core/run/cpu/primitives/sums.h"
#include "core/run/shared/pooling_window.h"
#include "core/run/shared/walk.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

/// The index stored for a window that lies entirely in the padding.
constexpr std::int64_t no_index = -1;

/// Converts a flat row-major position to column-major order, for `storage_order` 1.
std::int64_t column_major(std::int64_t position, const Dims& sizes) {
  std::int64_t flat = 0;
  std::int64_t stride = positions(sizes);
  for (std::size_t axis = sizes.size(); axis-- > 0;) {
    stride /= sizes[axis];
    flat += position % sizes[axis] * stride;
    position /= sizes[axis];
  }
  return flat;
}

/// For each output position, stores in `chosen` the position of the greatest element, or of the
/// first one if several are equal. NaN is chosen only if it comes first.
template <class T>
void max_pool_plane(const Pooling& pooling, const T* x, std::vector<std::int64_t>& chosen) {
  std::fill(chosen.begin(), chosen.end(), no_index);
  pooling.for_each_pair([&](std::int64_t out, std::int64_t in) {
    std::int64_t& best = chosen[static_cast<std::size_t>(out)];
    if (best < 0 || static_cast<Compute<T>>(x[in]) > static_cast<Compute<T>>(x[best])) best = in;
  });
}

void store_indices(const KernelContext& context, const Pooling& pooling, std::int64_t plane,
                   const std::vector<std::int64_t>& chosen) {
  const bool by_columns = context.attributes().integer("storage_order", 0) != 0;
  std::int64_t* const to = context.out(1).as<std::int64_t>().data() + plane * pooling.out;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    if (chosen[i] < 0) {
      to[i] = no_index;
      continue;
    }
    const std::int64_t at = by_columns ? column_major(chosen[i], pooling.window.in) : chosen[i];
    to[i] = plane * pooling.in + at;
  }
}

void max_pool(const KernelContext& context) {
  const Pooling pooling(context.attributes(), context.in(0).dims, context.out().dims);
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const x = context.in(0).as<T>().data();
    T* const y = context.out().as<T>().data();
    std::vector<std::int64_t> chosen(static_cast<std::size_t>(pooling.out));
    pooling.for_each_plane([&](std::int64_t plane, std::int64_t from, std::int64_t to) {
      max_pool_plane(pooling, x + from, chosen);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        const bool empty = chosen[i] < 0;
        y[to + static_cast<std::int64_t>(i)] =
            empty ? static_cast<T>(std::numeric_limits<Compute<T>>::lowest()) : x[from + chosen[i]];
      }
      if (context.has_output(1)) store_indices(context, pooling, plane, chosen);
    });
  });
}

/// Inputs (dY, indices, shape of the data)
void max_pool_grad(const KernelContext& context) {
  const auto indices = context.in(1).as<std::int64_t>();
  const bool by_columns = context.attributes().integer("storage_order", 0) != 0;
  if (by_columns) fail_run("", "there is no gradient kernel for column-major indices");
  const std::int64_t elements = context.out().elements();
  accumulate(context.in(0), context.out(), [&](const auto* dy, auto* dx) {
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] != no_index) dx[wrapped(indices[i], elements)] += dy[i];
    }
  });
}

/// The divisor of each mean: the number of window positions on data, and with `count_include_pad`
/// also on padding.
std::vector<double> mean_counts(const Attributes& attributes, const Pooling& pooling) {
  std::vector<double> counts(static_cast<std::size_t>(pooling.out), 0);
  const auto add = [&](std::int64_t out, std::int64_t) {
    counts[static_cast<std::size_t>(out)] += 1;
  };
  if (attributes.integer("count_include_pad", 0) == 0) {
    pooling.for_each_pair(add);
    return counts;
  }
  Pooling padded = pooling;
  for (std::size_t axis = 0; axis < padded.window.axes(); ++axis) {
    padded.window.in[axis] += padded.window.pads[axis] + padded.pads_after[axis];
    padded.window.pads[axis] = 0;
  }
  padded.for_each_pair(add);
  return counts;
}

/// sum /= count, computed in double.
template <class C>
void divide(C& sum, double count) {
  sum = static_cast<C>(static_cast<double>(sum) / count);
}

void average_pool(const KernelContext& context) {
  const Pooling pooling(context.attributes(), context.in(0).dims, context.out().dims);
  const std::vector<double> counts = mean_counts(context.attributes(), pooling);
  const auto average = [&](auto* y, const auto* x) {
    std::fill_n(y, context.out().elements(), 0);
    pooling.for_each_plane([&](std::int64_t, std::int64_t from, std::int64_t to) {
      pooling.for_each_pair(
          [&](std::int64_t out, std::int64_t in) { y[to + out] += x[from + in]; });
      for (std::size_t i = 0; i < counts.size(); ++i) divide(y[to + std::int64_t(i)], counts[i]);
    });
  };
  compute_real(context.out(), average, context.in(0));
}

/// Inputs (dY, shape of the data)
void average_pool_grad(const KernelContext& context) {
  const Pooling pooling(context.attributes(), context.out().dims, context.in(0).dims);
  const std::vector<double> counts = mean_counts(context.attributes(), pooling);
  accumulate(context.in(0), context.out(), [&](const auto* dy, auto* dx) {
    std::vector<std::decay_t<decltype(*dx)>> shares;
    pooling.for_each_plane([&](std::int64_t, std::int64_t from, std::int64_t to) {
      shares.assign(dy + to, dy + to + pooling.out);
      for (std::size_t i = 0; i < counts.size(); ++i) divide(shares[i], counts[i]);
      pooling.for_each_pair([&](std::int64_t out, std::int64_t in) {
        dx[from + in] += shares[static_cast<std::size_t>(out)];
      });
    });
  });
}

/// (sum of |x|^p)^(1/p)
void lp_pool(const KernelContext& context) {
  const Pooling pooling(context.attributes(), context.in(0).dims, context.out().dims);
  const auto p = static_cast<double>(context.attributes().integer("p", 2));
  const std::vector<double> x = numbers_of<double>(context.in(0));
  std::vector<double> y(static_cast<std::size_t>(context.out().elements()), 0);
  pooling.for_each_plane([&](std::int64_t, std::int64_t from, std::int64_t to) {
    pooling.for_each_pair([&](std::int64_t out, std::int64_t in) {
      y[static_cast<std::size_t>(to + out)] +=
          std::pow(std::abs(x[static_cast<std::size_t>(from + in)]), p);
    });
  });
  for (double& sum : y) sum = std::pow(sum, 1 / p);
  store_numbers(y, context.out());
}

/// Stores `reduce(elements, count)` for each plane, which has `count` elements.
template <class Reduce>
void global_pool(const KernelContext& context, Reduce reduce) {
  const Dims& dims = context.in(0).dims;
  const std::int64_t plane = element_count(std::span(dims).subspan(2));
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = context.in(0).as<T>().data();
    for (T& y : context.out().as<T>()) {
      y = static_cast<T>(static_cast<Compute<T>>(reduce(x, plane)));
      x += plane;
    }
  });
}

void global_average_pool(const KernelContext& context) {
  global_pool(context, [](const auto* x, std::int64_t count) {
    return sum_of(x, count) / static_cast<double>(count);
  });
}

void global_max_pool(const KernelContext& context) {
  if (context.in(0).elements() == 0 && context.out().elements() > 0) {
    fail_run("", "its planes have no elements, so they have no maximum");
  }
  global_pool(context,
              [](const auto* x, std::int64_t count) { return *std::max_element(x, x + count); });
}

/// Inputs: dY and the shape of the data. Every position receives an equal share of its plane's dY.
void global_average_pool_grad(const KernelContext& context) {
  const std::int64_t plane = element_count(std::span(context.out().dims).subspan(2));
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* dx = context.out().as<T>().data();
    for (const T dy : context.in(0).as<T>()) {
      const Compute<T> share = static_cast<Compute<T>>(dy) / static_cast<Compute<T>>(plane);
      std::fill_n(dx, plane, static_cast<T>(share));
      dx += plane;
    }
  });
}

/// (pooled, indices, [dims]). The indices refer to the elements of the data that was pooled; this
/// data may be smaller than the result.
void max_unpool(const KernelContext& context) {
  const TensorView& out = context.out();
  const Window window =
      read_window(context.attributes(), context.attributes().require_integers("kernel_shape"));
  Dims dims = context.in(0).dims;
  for (std::size_t i = 0; i < window.kernel.size(); ++i) {
    dims[i + 2] = (dims[i + 2] - 1) * window.strides[i] + window.kernel[i] - window.pads[i] -
                  window.pads[i + window.kernel.size()];
    if (dims[i + 2] > out.dims[i + 2]) fail_run("", "its result is too small for its windows");
  }
  const Dims indices = as_integers(context.in(1));
  const Dims from = dense_strides(dims);
  const Dims to = dense_strides(out.dims);
  const std::int64_t count = element_count(dims);
  fill_zero(out);
  with_size(element_size(out.element), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto items = context.in(0).as<T>();
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::int64_t rest = wrapped(indices[i], count);
      std::int64_t at = 0;
      for (std::size_t axis = 0; axis < from.size(); ++axis) {
        at += rest / from[axis] * to[axis];
        rest %= from[axis];
      }
      out.as<T>()[static_cast<std::size_t>(at)] = items[i];
    }
  });
}

}  // namespace

void add_pooling_kernels(KernelRegistry& registry) {
  registry.add("", "MaxUnpool", {max_unpool});
  registry.add("", "MaxPool", {max_pool});
  registry.add("", "AveragePool", {average_pool});
  registry.add("", "LpPool", {lp_pool});
  registry.add("", "GlobalAveragePool", {global_average_pool});
  registry.add("", "GlobalMaxPool", {global_max_pool});
  registry.add("com.microsoft", "MaxPoolGrad", {max_pool_grad});
  registry.add("com.microsoft", "AveragePoolGrad", {average_pool_grad});
  registry.add("com.microsoft", "GlobalAveragePoolGrad", {global_average_pool_grad});
}

}  // namespace stashscope::cpu
