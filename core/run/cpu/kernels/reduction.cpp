// Reductions over axes, ArgMax and ArgMin, running sums and products, and top-k.

#include <cmath>
#include <limits>
#include <numeric>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/sums.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/walk.h"
#include "core/run/shared/wrapping.h"

namespace stashscope::cpu {

namespace {

using Dims = std::vector<std::int64_t>;

/// The input's dims with 1 for every reduced axis. The axes come from input 1 or from the attribute
/// `axes`. Without axes, all axes are reduced, or none if the attribute `noop_with_empty_axes` is
/// set.
Dims kept_dims(const KernelContext& context) {
  Dims kept = context.in(0).dims;
  const Dims axes =
      context.has_input(1) ? as_integers(context.in(1)) : context.attributes().integers("axes");
  if (axes.empty() && context.attributes().integer("noop_with_empty_axes", 0) == 0) {
    kept.assign(kept.size(), 1);
  }
  for (const std::int64_t axis : axes) {
    kept[axis_in(axis, std::ssize(kept))] = 1;
  }
  return kept;
}

/// Reads the input once, in memory order, and folds every element into the state of its result.
/// `fold(state, element)` returns the new state for one element. `fold_run(state, elements, count)`
/// returns the new state for a run of elements that belong to one result.
template <class T, class State, class Fold, class FoldRun>
void fold_all(const TensorView& in, const Dims& kept, std::vector<State>& states, Fold fold,
              FoldRun fold_run) {
  const T* const items = in.as<T>().data();
  const StridedWalk<2> walk(in.dims, {dense_strides(in.dims), broadcast_strides(in.dims, kept)});
  walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
    const T* const run = items + at[0];
    State* const to = states.data() + at[1];
    if (step[1] == 0) {
      *to = fold_run(*to, run, count);
    } else {
      for (std::int64_t i = 0; i < count; ++i) to[i] = fold(to[i], static_cast<Compute<T>>(run[i]));
    }
  });
}

/// Reduces by addition. Each result is `finish(sum, count)`: `count` is the number of input
/// elements that are reduced to it, and `sum` is the sum of `term(element)` over them.
template <auto term, auto finish>
void reduce_by_sum(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const Dims kept = kept_dims(context);
  const std::int64_t results = element_count(kept);
  with_number(in.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using S = Sum<T>;
    std::vector<S> sums(static_cast<std::size_t>(results), S(0));
    const auto add = [](S sum, Compute<T> item) {
      return wrapping_sum(sum, term(static_cast<S>(item)));
    };
    fold_all<T>(in, kept, sums, add, [&](S sum, const T* run, std::int64_t count) {
      if constexpr (std::is_same_v<S, double>) {
        return sum + sum_of(count, [&](std::int64_t i) {
                 return term(static_cast<double>(static_cast<Compute<T>>(run[i])));
               });
      } else {
        return std::accumulate(run, run + count, sum, add);
      }
    });
    const std::int64_t count = results == 0 ? 0 : in.elements() / results;
    for (S& sum : sums) sum = static_cast<S>(finish(sum, static_cast<S>(count)));
    store_numbers(sums, context.out());
  });
}

constexpr auto itself = [](auto x) { return x; };
constexpr auto squared = [](auto x) { return wrapping_product(x, x); };
constexpr auto absolute_value = [](auto x) {
  return std::is_unsigned_v<decltype(x)> || x >= 0 ? x : wrapping_difference(decltype(x)(0), x);
};
constexpr auto the_sum = [](auto sum, auto) { return sum; };
constexpr auto the_mean = [](auto sum, auto count) {
  if constexpr (std::is_integral_v<decltype(count)>) return count == 0 ? count : sum / count;
  return sum / count;
};
constexpr auto the_root = [](auto sum, auto) { return std::sqrt(sum); };
constexpr auto the_logarithm = [](auto sum, auto) { return std::log(sum); };

/// Reduces by products or extremes, in the compute type of the elements. `start_of` returns the
/// start value for that type.
template <auto combine>
void reduce_by(const KernelContext& context, auto start_of) {
  const TensorView& in = context.in(0);
  const Dims kept = kept_dims(context);
  with_any(in.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    // std::vector<bool> has no elements to point to.
    using State = std::conditional_t<std::is_same_v<C, bool>, std::uint8_t, C>;
    std::vector<State> states(static_cast<std::size_t>(element_count(kept)),
                              static_cast<State>(start_of(C())));
    const auto fold = [](State state, C item) {
      return static_cast<State>(combine(state, static_cast<State>(item)));
    };
    fold_all<T>(in, kept, states, fold, [&](State state, const T* run, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) state = fold(state, static_cast<C>(run[i]));
      return state;
    });
    const auto out = context.out().as<T>();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<T>(static_cast<C>(states[i]));
    }
  });
}

/// The start value of an extreme: the largest number or infinity for a minimum (sign -1), the
/// smallest number or minus infinity for a maximum (sign 1).
template <class C>
C outermost(int sign) {
  using Limits = std::numeric_limits<C>;
  if constexpr (std::is_floating_point_v<C>) {
    return sign > 0 ? -Limits::infinity() : Limits::infinity();
  } else {
    return sign > 0 ? Limits::lowest() : Limits::max();
  }
}

/// If an operand is NaN, the result is NaN.
constexpr auto greater_of = [](auto a, auto b) { return a >= b || a != a ? a : b; };
constexpr auto lesser_of = [](auto a, auto b) { return a <= b || a != a ? a : b; };

void reduce_max(const KernelContext& context) {
  reduce_by<greater_of>(context, [](auto tag) { return outermost<decltype(tag)>(1); });
}
void reduce_min(const KernelContext& context) {
  reduce_by<lesser_of>(context, [](auto tag) { return outermost<decltype(tag)>(-1); });
}
void reduce_prod(const KernelContext& context) {
  reduce_by<[](auto a, auto b) { return wrapping_product(a, b); }>(
      context, [](auto tag) { return decltype(tag)(1); });
}

/// log(sum(exp(x - greatest))) + greatest, which does not overflow.
void reduce_log_sum_exp(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const Dims kept = kept_dims(context);
  const auto results = static_cast<std::size_t>(element_count(kept));
  std::vector<double> greatest(results, outermost<double>(1));
  std::vector<double> sums(results, 0);
  const std::vector<double> items = numbers_of<double>(in);
  const StridedWalk<2> walk(in.dims, {dense_strides(in.dims), broadcast_strides(in.dims, kept)});
  const auto for_each = [&](auto body) {
    walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
      for (std::int64_t i = 0; i < count; ++i) {
        body(items[static_cast<std::size_t>(at[0] + i * step[0])],
             static_cast<std::size_t>(at[1] + i * step[1]));
      }
    });
  };
  for_each([&](double x, std::size_t to) { greatest[to] = greater_of(greatest[to], x); });
  for (double& each : greatest) each = std::isinf(each) ? 0 : each;
  for_each([&](double x, std::size_t to) { sums[to] += std::exp(x - greatest[to]); });
  for (std::size_t i = 0; i < results; ++i) sums[i] = std::log(sums[i]) + greatest[i];
  store_numbers(sums, context.out());
}

/// Stores the position of the first (or last) extreme along an axis. `better(candidate, best)`
/// returns true if `candidate` is more extreme than `best`.
template <auto better>
void arg_extreme(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const AxisSplit split = split_at(in.dims, context.attributes().integer("axis", 0));
  const bool last = context.attributes().integer("select_last_index", 0) != 0;
  std::int64_t* to = context.out().as<std::int64_t>().data();
  with_number(in.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const T* const items = in.as<T>().data();
    for (std::int64_t outer = 0; outer < split.outer; ++outer) {
      for (std::int64_t inner = 0; inner < split.inner; ++inner) {
        const T* const column = items + outer * split.size * split.inner + inner;
        std::int64_t best = 0;
        for (std::int64_t i = 1; i < split.size; ++i) {
          const auto candidate = static_cast<C>(column[i * split.inner]);
          const auto leader = static_cast<C>(column[best * split.inner]);
          if (better(candidate, leader) || (last && candidate == leader)) best = i;
        }
        *to++ = best;
      }
    }
  });
}

/// Replaces each element along one axis by `combine` of `start` and all elements up to and
/// including that element. The attribute `exclusive` leaves out the element; `reverse` starts from
/// the end.
template <class Combine>
void accumulate_along(const KernelContext& context, int start, Combine combine) {
  const TensorView& in = context.in(0);
  const AxisSplit split = split_at(in.dims, as_integer(context.in(1)));
  const bool exclusive = context.attributes().integer("exclusive", 0) != 0;
  const bool reverse = context.attributes().integer("reverse", 0) != 0;
  with_number(in.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using S = Sum<T>;
    const T* const items = in.as<T>().data();
    T* const out = context.out().as<T>().data();
    for (std::int64_t row = 0; row < split.outer * split.inner; ++row) {
      const std::int64_t begin = row / split.inner * split.size * split.inner + row % split.inner;
      auto total = static_cast<S>(start);
      for (std::int64_t i = 0; i < split.size; ++i) {
        const std::int64_t at = begin + (reverse ? split.size - 1 - i : i) * split.inner;
        const auto item = static_cast<S>(+static_cast<Compute<T>>(items[at]));
        const auto next = static_cast<S>(combine(total, item));
        out[at] = static_cast<T>(static_cast<Compute<T>>(exclusive ? total : next));
        total = next;
      }
    }
  });
}

void cumulative_sum(const KernelContext& context) {
  accumulate_along(context, 0, [](auto sum, auto item) { return wrapping_sum(sum, item); });
}

void cumulative_product(const KernelContext& context) {
  accumulate_along(context, 1,
                   [](auto product, auto item) { return wrapping_product(product, item); });
}

/// (dy, data, axis). dx[k] = (product of x[j] for j < k) * sum over i >= k of
/// dy[i] * (product of x[j] for k < j <= i). With `exclusive`, the sum is over i > k and the
/// product over k < j < i. Without a division, zeros need no special case.
void cumulative_product_grad(const KernelContext& context) {
  const AxisSplit split = split_at(context.out().dims, as_integer(context.in(2)));
  const bool exclusive = context.attributes().integer("exclusive", 0) != 0;
  const bool reverse = context.attributes().integer("reverse", 0) != 0;
  const auto gradient = [&](auto* dx, const auto* dy, const auto* x) {
    for (std::int64_t row = 0; row < split.outer * split.inner; ++row) {
      const std::int64_t begin = row / split.inner * split.size * split.inner + row % split.inner;
      const auto place = [&](std::int64_t i) {
        return begin + (reverse ? split.size - 1 - i : i) * split.inner;
      };
      std::vector<double> before(static_cast<std::size_t>(split.size) + 1, 1);
      for (std::int64_t i = 0; i < split.size; ++i) {
        const auto at = static_cast<std::size_t>(i);
        before[at + 1] = before[at] * static_cast<double>(x[place(i)]);
      }
      double later = 0;
      for (std::int64_t i = split.size; i-- > 0;) {
        const auto own = static_cast<double>(dy[place(i)]);
        const auto item = static_cast<double>(x[place(i)]);
        const double sum = exclusive ? later : own + later;
        later = item * sum + (exclusive ? own : 0);
        dx[place(i)] = static_cast<std::remove_reference_t<decltype(*dx)>>(
            before[static_cast<std::size_t>(i)] * sum);
      }
    }
  };
  compute_real(context.out(), gradient, context.in(0), context.in(1));
}

/// Positions of the `count` most extreme elements of a column, in order; ties keep their order.
template <class C>
Dims top_positions(const std::vector<C>& column, std::int64_t count, bool largest) {
  Dims order(column.size());
  std::iota(order.begin(), order.end(), 0);
  const auto before = [&](std::int64_t a, std::int64_t b) {
    const C x = column[static_cast<std::size_t>(a)];
    const C y = column[static_cast<std::size_t>(b)];
    return x != y ? (largest ? x > y : x < y) : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + count, order.end(), before);
  order.resize(static_cast<std::size_t>(count));
  return order;
}

void top_k(const KernelContext& context) {
  const TensorView& in = context.in(0);
  const std::int64_t axis = context.attributes().integer("axis", -1);
  const AxisSplit split = split_at(in.dims, axis);
  const std::int64_t count = context.out().dim(axis);
  const bool largest = context.attributes().integer("largest", 1) != 0;
  with_number(in.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    const T* const items = in.as<T>().data();
    std::vector<C> column(static_cast<std::size_t>(split.size));
    for (std::int64_t row = 0; row < split.outer * split.inner; ++row) {
      const T* const from =
          items + row / split.inner * split.size * split.inner + row % split.inner;
      for (std::size_t i = 0; i < column.size(); ++i) {
        column[i] = static_cast<C>(from[static_cast<std::int64_t>(i) * split.inner]);
      }
      std::int64_t to = row / split.inner * count * split.inner + row % split.inner;
      for (const std::int64_t position : top_positions(column, count, largest)) {
        if (context.has_output(0)) context.out(0).as<T>().data()[to] = from[position * split.inner];
        if (context.has_output(1)) context.out(1).as<std::int64_t>().data()[to] = position;
        to += split.inner;
      }
    }
  });
}

}  // namespace

void add_reduction_kernels(KernelRegistry& registry) {
  registry.add("", "ReduceSum", {reduce_by_sum<itself, the_sum>});
  registry.add("", "ReduceMean", {reduce_by_sum<itself, the_mean>});
  registry.add("", "ReduceSumSquare", {reduce_by_sum<squared, the_sum>});
  registry.add("", "ReduceL1", {reduce_by_sum<absolute_value, the_sum>});
  registry.add("", "ReduceL2", {reduce_by_sum<squared, the_root>});
  registry.add("", "ReduceLogSum", {reduce_by_sum<itself, the_logarithm>});
  registry.add("", "ReduceLogSumExp", {reduce_log_sum_exp});
  registry.add("", "ReduceMax", {reduce_max});
  registry.add("", "ReduceMin", {reduce_min});
  registry.add("", "ReduceProd", {reduce_prod});
  registry.add("", "ArgMax", {arg_extreme<[](auto a, auto b) { return b < a; }>});
  registry.add("", "ArgMin", {arg_extreme<[](auto a, auto b) { return a < b; }>});
  registry.add("", "CumSum", {cumulative_sum});
  registry.add("", "CumProd", {cumulative_product});
  registry.add("com.microsoft", "CumProdGrad", {cumulative_product_grad});
  registry.add("", "TopK", {top_k});
}

}  // namespace stashscope::cpu
