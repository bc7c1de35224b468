// Softmax, LogSoftmax and Hardmax, fused forms and gradients.

#include <cmath>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/broadcast.h"
#include "core/run/cpu/primitives/random.h"
#include "core/run/cpu/primitives/sums.h"
#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

/// Elements that lie `stride` apart.
template <class T>
struct Row {
  T* data;
  std::int64_t size;
  std::int64_t stride;

  T& operator[](std::int64_t i) const { return data[i * stride]; }
};

/// The rows of a softmax. Since version 13, a row runs along one axis; in earlier versions, it
/// spans all axes from `axis` on.
AxisSplit rows_of(const std::vector<std::int64_t>& dims, std::int64_t axis, bool single_axis) {
  AxisSplit split = split_at(dims, axis);
  if (!single_axis) {
    split.size *= split.inner;
    split.inner = 1;
  }
  return split;
}

AxisSplit rows_of(const KernelContext& context) {
  const bool single_axis = context.version >= 13;
  return rows_of(context.in(0).dims, context.attributes().integer("axis", single_axis ? -1 : 1),
                 single_axis);
}

/// Calls `body(offset of the row's first element)` for every row.
template <class Body>
void for_each_row(const AxisSplit& split, Body body) {
  for (std::int64_t outer = 0; outer < split.outer; ++outer) {
    for (std::int64_t inner = 0; inner < split.inner; ++inner) {
      body(outer * split.size * split.inner + inner);
    }
  }
}

template <class C, class T>
C greatest_of(const Row<T>& x) {
  C greatest = static_cast<C>(x[0]);
  for (std::int64_t i = 1; i < x.size; ++i) greatest = std::max(greatest, static_cast<C>(x[i]));
  return greatest;
}

/// May run in place, because every element is read before it is written.
template <class T>
void softmax_row(const Row<const T>& x, const Row<T>& y, std::vector<Compute<T>>& powers) {
  using C = Compute<T>;
  if (x.size == 0) return;
  const C greatest = greatest_of<C>(x);
  powers.resize(static_cast<std::size_t>(x.size));
  for (std::size_t i = 0; i < powers.size(); ++i) {
    powers[i] = std::exp(static_cast<C>(x[static_cast<std::int64_t>(i)]) - greatest);
  }
  const auto factor = static_cast<C>(1 / sum_of(powers.data(), x.size));
  for (std::size_t i = 0; i < powers.size(); ++i) {
    y[static_cast<std::int64_t>(i)] = static_cast<T>(powers[i] * factor);
  }
}

template <class T>
void log_softmax_row(const Row<const T>& x, const Row<T>& y, std::vector<Compute<T>>&) {
  using C = Compute<T>;
  if (x.size == 0) return;
  const C greatest = greatest_of<C>(x);
  const double sum =
      sum_of(x.size, [&](std::int64_t i) { return std::exp(static_cast<C>(x[i]) - greatest); });
  const auto logarithm = static_cast<C>(std::log(sum));
  for (std::int64_t i = 0; i < x.size; ++i) {
    y[i] = static_cast<T>(static_cast<C>(x[i]) - greatest - logarithm);
  }
}

/// Stores 1 at the greatest element (the first if several are equal), else 0.
template <class T>
void hardmax_row(const Row<const T>& x, const Row<T>& y, std::vector<Compute<T>>&) {
  using C = Compute<T>;
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < x.size; ++i) {
    if (static_cast<C>(x[i]) > static_cast<C>(x[best])) best = i;
  }
  for (std::int64_t i = 0; i < x.size; ++i) y[i] = static_cast<T>(i == best ? 1.0F : 0.0F);
}

/// Applies a row function from `in` to `out`, which may be the same memory.
template <class RowFunction>
void map_rows(const TensorView& in, const TensorView& out, const AxisSplit& split,
              RowFunction function) {
  with_floating(out.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const x = in.as<T>().data();
    T* const y = out.as<T>().data();
    std::vector<Compute<T>> scratch;
    for_each_row(split, [&](std::int64_t at) {
      function(Row<const T>{x + at, split.size, split.inner},
               Row<T>{y + at, split.size, split.inner}, scratch);
    });
  });
}

constexpr auto softmax_function = [](auto&&... rows) { softmax_row(rows...); };

template <auto function>
void by_rows(const KernelContext& context) {
  map_rows(context.in(0), context.out(), rows_of(context), function);
}

/// dx = y * (dy - sum(dy * y))
template <class T>
void softmax_gradient_row(const Row<const T>& dy, const Row<const T>& y, const Row<T>& dx) {
  using C = Compute<T>;
  const auto sum = static_cast<C>(sum_of(dy.size, [&](std::int64_t i) {
    return static_cast<double>(static_cast<C>(dy[i])) * static_cast<double>(static_cast<C>(y[i]));
  }));
  for (std::int64_t i = 0; i < dy.size; ++i) {
    dx[i] = static_cast<T>(static_cast<C>(y[i]) * (static_cast<C>(dy[i]) - sum));
  }
}

/// dx = dy - exp(y) * sum(dy)
template <class T>
void log_softmax_gradient_row(const Row<const T>& dy, const Row<const T>& y, const Row<T>& dx) {
  using C = Compute<T>;
  const auto sum =
      static_cast<C>(sum_of(dy.size, [&](std::int64_t i) { return static_cast<C>(dy[i]); }));
  for (std::int64_t i = 0; i < dy.size; ++i) {
    dx[i] = static_cast<T>(static_cast<C>(dy[i]) - std::exp(static_cast<C>(y[i])) * sum);
  }
}

/// Inputs (dY, Y). A gradient operator with `_13` in its name has rows along a single axis.
template <auto function, bool single_axis>
void gradient_by_rows(const KernelContext& context) {
  const AxisSplit split = rows_of(
      context.in(0).dims, context.attributes().integer("axis", single_axis ? -1 : 1), single_axis);
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const dy = context.in(0).as<T>().data();
    const T* const y = context.in(1).as<T>().data();
    T* const dx = context.out().as<T>().data();
    for_each_row(split, [&](std::int64_t at) {
      function(Row<const T>{dy + at, split.size, split.inner},
               Row<const T>{y + at, split.size, split.inner},
               Row<T>{dx + at, split.size, split.inner});
    });
  });
}

/// Computes the softmax of data + bias over all axes from `axis` on.
void bias_softmax_to(const KernelContext& context, const TensorView& out) {
  with_floating(out.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, T>(context.in(0), context.in(1), out, [](auto x, auto b) { return x + b; });
  });
  map_rows(out, out, rows_of(out.dims, context.attributes().integer("axis", 1), false),
           softmax_function);
}

void bias_softmax(const KernelContext& context) { bias_softmax_to(context, context.out()); }

/// (data, bias, [ratio]) -> output, mask, [softmax before dropout]
void bias_softmax_dropout(const KernelContext& context) {
  const double ratio = context.has_input(2) ? as_number(context.in(2)) : 0.5;
  const PositionalRandom random(context.seed);
  bias_softmax_to(context, context.out());
  if (context.has_output(2)) {
    std::copy_n(context.out().data, packed_bytes(context.out().element, context.out().elements()),
                context.out(2).data);
  }
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const auto y = context.out().as<T>();
    const auto scale = static_cast<C>(1 / (1 - ratio));
    for (std::size_t i = 0; i < y.size(); ++i) {
      const bool kept = random.uniform(i) >= ratio;
      y[i] = static_cast<T>(kept ? static_cast<C>(y[i]) * scale : C(0));
      if (context.has_output(1)) context.out(1).as<bool>()[i] = kept;
    }
  });
}

}  // namespace

void add_softmax_kernels(KernelRegistry& registry) {
  constexpr auto softmax_back = [](auto... rows) { softmax_gradient_row(rows...); };
  constexpr auto log_softmax_back = [](auto... rows) { log_softmax_gradient_row(rows...); };
  registry.add("", "Softmax", {by_rows<softmax_function>});
  registry.add("", "LogSoftmax", {by_rows<[](auto&&... rows) { log_softmax_row(rows...); }>});
  registry.add("", "Hardmax", {by_rows<[](auto&&... rows) { hardmax_row(rows...); }>});
  registry.add("com.microsoft", "BiasSoftmax", {bias_softmax});
  registry.add("com.microsoft", "BiasSoftmaxDropout", {bias_softmax_dropout});
  for (const char* domain : {"", "com.microsoft"}) {
    registry.add(domain, "SoftmaxGrad", {gradient_by_rows<softmax_back, false>});
    registry.add(domain, "SoftmaxGrad_13", {gradient_by_rows<softmax_back, true>});
    registry.add(domain, "LogSoftmaxGrad", {gradient_by_rows<log_softmax_back, false>});
    registry.add(domain, "LogSoftmaxGrad_13", {gradient_by_rows<log_softmax_back, true>});
  }
}

}  // namespace stashscope::cpu
