// Elementwise arithmetic with broadcasting.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/run/cpu/broadcast.h"
#include "core/run/cpu/families.h"

namespace stashscope::cpu {

namespace {

struct Plus {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a + b);
  }
};
struct Minus {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a - b);
  }
};
struct Times {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a * b);
  }
};
struct DividedBy {
  template <class T>
  T operator()(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) fail_run("", "divides an integer by zero");
      // The one quotient that does not fit wraps, as two's complement arithmetic does.
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return static_cast<T>(T(0) - a);
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

/// Folds all inputs from left to right; input 0 may be where the output goes.
template <class Operation>
void variadic(const KernelContext& context) {
  with_number(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto only_first = [](auto a, auto) { return a; };
    if (context.inputs.size() == 1) {
      broadcast_binary<T, T>(context.in(0), context.in(0), context.out(), only_first);
      return;
    }
    broadcast_binary<T, T>(context.in(0), context.in(1), context.out(), Operation());
    for (std::size_t i = 2; i < context.inputs.size(); ++i) {
      broadcast_binary<T, T>(context.out(), context.in(i), context.out(), Operation());
    }
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
}

}  // namespace stashscope::cpu
