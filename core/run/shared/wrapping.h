#pragma once

#include <type_traits>

namespace stashscope::kernels {

template <class T, bool is_integer = std::is_integral_v<T>>
struct WrappingType {
  using type = T;
};
template <class T>
struct WrappingType<T, true> {
  using type = std::make_unsigned_t<decltype(+T())>;
};

/// The type for sums and products of T. Integers that overflow wrap, as in two's complement; only
/// unsigned types that C++ does not widen to int do so.
template <class T>
using Wrapping = typename WrappingType<T>::type;

template <class T>
constexpr T wrapping_sum(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}

template <class T>
constexpr T wrapping_difference(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}

template <class T>
constexpr T wrapping_product(T a, T b) {
  return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

}  // namespace stashscope::kernels
