// Elementwise arithmetic with broadcasting.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/broadcast.h"
#include "core/run/shared/numbers.h"
#include "core/run/shared/wrapping.h"

namespace stashscope::cpu {

namespace {

struct Plus {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_sum(a, b);
  }
};
struct Minus {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_difference(a, b);
  }
};
struct Times {
  template <class T>
  T operator()(T a, T b) const {
    return wrapping_product(a, b);
  }
};
struct DividedBy {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) fail_run("", "divides an integer by zero");
      // The only quotient that overflows (the least number divided by -1) wraps.
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return wrapping_difference(T(0), a);
      }
    }
    return static_cast<T>(a / b);
  }
};
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    }
    return std::min(a, b);
  }
};
struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    }
    return std::max(a, b);
  }
};

template <class Operation>
void binary(const KernelContext& context) {
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    broadcast_binary<T, T>(context.in(0), context.in(1), context.out(), Operation());
  });
}

/// Combines all inputs by the operation, from left to right. The output may share the memory of
/// input 0 or 1.
template <class Operation>
void variadic(const KernelContext& context) {
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (context.inputs.size() == 1) {
      map_elements<T, T>(context.in(0), context.out(), [](auto a) { return a; });
      return;
    }
    broadcast_binary<T, T>(context.in(0), context.in(1), context.out(), Operation());
    for (std::size_t i = 2; i < context.inputs.size(); ++i) {
      broadcast_binary<T, T>(context.out(), context.in(i), context.out(), Operation());
    }
  });
}

void mean(const KernelContext& context) {
  variadic<Plus>(context);
  const auto count = static_cast<double>(context.inputs.size());
  with_floating(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    map_elements<T, T>(context.out(), context.out(),
                       [=](auto sum) { return sum / static_cast<decltype(sum)>(count); });
  });
}

/// The remainder has the sign of the divisor, as with Python's %; with the attribute `fmod` it has
/// the sign of the dividend, as in C.
template <bool like_c>
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) fail_run("", "divides an integer by zero");
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return 0;
      }
      const T rest = static_cast<T>(a % b);
      return !like_c && rest != 0 && (rest < 0) != (b < 0) ? static_cast<T>(rest + b) : rest;
    } else {
      const T rest = std::fmod(a, b);
      return !like_c && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
  }
};

void modulo(const KernelContext& context) {
  const bool like_c = context.attributes().integer("fmod", 0) != 0;
  like_c ? binary<Remainder<true>>(context) : binary<Remainder<false>>(context);
}

/// Squares and cubes are computed as products, and powers of 0.5 as square roots. These powers are
/// frequent, and pow() may be less exact.
template <class T, class C>
void power_by_scalar(const KernelContext& context, C exponent) {
  const auto raise = [&](auto function) {
    map_elements<T, T>(context.in(0), context.out(), function);
  };
  if (exponent == 2) return raise([](auto x) { return wrapping_product(x, x); });
  if (exponent == 3)
    return raise([](auto x) { return wrapping_product(wrapping_product(x, x), x); });
  if (exponent == C(0.5)) return raise([](auto x) { return std::sqrt(static_cast<C>(x)); });
  raise([=](auto x) { return std::pow(static_cast<C>(x), exponent); });
}

/// The result has the base's type; the exponent may have a different type. Powers of integers are
/// computed in double, unless power_by_scalar computes them as products.
void power(const KernelContext& context) {
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = std::conditional_t<std::is_integral_v<Compute<T>>, double, Compute<T>>;
    const std::vector<C> exponents = numbers_of<C>(context.in(1));
    const TensorView& out = context.out();
    if (exponents.size() == 1 && context.in(0).dims == out.dims) {
      return power_by_scalar<T, C>(context, exponents[0]);
    }
    const StridedWalk<3> walk(
        out.dims, {dense_strides(out.dims), broadcast_strides(out.dims, context.in(0).dims),
                   broadcast_strides(out.dims, context.in(1).dims)});
    const T* const base = context.in(0).as<T>().data();
    T* const result = out.as<T>().data();
    walk.for_each_run([&](const auto& at, std::int64_t count, const auto& step) {
      for (std::int64_t i = 0; i < count; ++i) {
        const auto x = static_cast<C>(static_cast<Compute<T>>(base[at[1] + i * step[1]]));
        const C y = exponents[static_cast<std::size_t>(at[2] + i * step[2])];
        result[at[0] + i] = static_cast<T>(static_cast<Compute<T>>(std::pow(x, y)));
      }
    });
  });
}

/// Returns a bound of Clip: the attribute `name` before version 11, input `index` from version 11
/// on. Returns `otherwise` if the node does not have the bound.
template <class C>
C bound(const KernelContext& context, std::size_t index, const char* name, C otherwise) {
  if (context.has_input(index)) return number_of<C>(context.in(index));
  if (!context.attributes().has(name)) return otherwise;
  return static_cast<C>(context.attributes().real(name, 0));
}

/// If the lower bound is above the upper one, the result is the upper bound. NaN stays NaN.
void clip(const KernelContext& context) {
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    using C = Compute<T>;
    using Limits = std::numeric_limits<C>;
    constexpr C lowest = std::is_integral_v<C> ? Limits::lowest() : -Limits::infinity();
    constexpr C highest = std::is_integral_v<C> ? Limits::max() : Limits::infinity();
    const C low = bound<C>(context, 1, "min", lowest);
    const C high = bound<C>(context, 2, "max", highest);
    map_elements<T, T>(context.in(0), context.out(), [=](C x) {
      const C raised = x < low ? low : x;
      return raised > high ? high : raised;
    });
  });
}

}  // namespace

void add_arithmetic_kernels(KernelRegistry& registry) {
  registry.add("", "Add", {binary<Plus>});
  registry.add("", "Sub", {binary<Minus>});
  registry.add("", "Mul", {binary<Times>});
  registry.add("", "Div", {binary<DividedBy>});
  registry.add("", "Sum", {variadic<Plus>});
  registry.add("", "Min", {variadic<Least>});
  registry.add("", "Max", {variadic<Greatest>});
  registry.add("", "Mean", {mean});
  registry.add("", "Mod", {modulo});
  registry.add("", "Pow", {power});
  registry.add("", "Clip", {clip});
}

}  // namespace stashscope::cpu
