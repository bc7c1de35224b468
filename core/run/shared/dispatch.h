#pragma once

#include <string>
#include <utility>

#include "core/graph/half.h"
#include "core/run/shared/kernel.h"

namespace stashscope::kernels {

/// A 16-bit float as stored in memory; arithmetic uses float.
struct Half {
  std::uint16_t bits;
  Half() = default;
  Half(float value) : bits(half_from_float(value)) {}       // NOLINT: implicit on purpose
  operator float() const { return float_from_half(bits); }  // NOLINT: implicit on purpose
};
struct BFloat16 {
  std::uint16_t bits;
  BFloat16() = default;
  BFloat16(float value) : bits(bfloat_from_float(value)) {}   // NOLINT: implicit on purpose
  operator float() const { return float_from_bfloat(bits); }  // NOLINT: implicit on purpose
};

/// The type in which elements of type T are computed.
template <class T>
struct ComputeType {
  using type = T;
};
template <>
struct ComputeType<Half> {
  using type = float;
};
template <>
struct ComputeType<BFloat16> {
  using type = float;
};
template <class T>
using Compute = typename ComputeType<T>::type;

template <class T>
struct TypeTag {
  using type = T;
};

/// The element type whose elements kernels access as the C++ type T; undefined for types that no
/// kernel asks for.
template <class T>
inline constexpr ElementType element_of = ElementType::undefined;
template <>
inline constexpr ElementType element_of<float> = ElementType::float32;
template <>
inline constexpr ElementType element_of<double> = ElementType::float64;
template <>
inline constexpr ElementType element_of<std::uint64_t> = ElementType::uint64;

[[noreturn]] inline void fail_type(ElementType element) {
  fail_run("", "has no CPU kernel for elements of type " + std::string(name_of(element)));
}

/// Calls `body(TypeTag<T>())` for the floating type T of `element`. Throws a run Error for other
/// types.
template <class Body>
void with_floating(ElementType element, Body body) {
  switch (element) {
    case ElementType::float32:
      return body(TypeTag<float>());
    case ElementType::float64:
      return body(TypeTag<double>());
    case ElementType::float16:
      return body(TypeTag<Half>());
    case ElementType::bfloat16:
      return body(TypeTag<BFloat16>());
    default:
      fail_type(element);
  }
}

template <class Body>
void with_integer(ElementType element, Body body) {
  switch (element) {
    case ElementType::int64:
      return body(TypeTag<std::int64_t>());
    case ElementType::int32:
      return body(TypeTag<std::int32_t>());
    case ElementType::int16:
      return body(TypeTag<std::int16_t>());
    case ElementType::int8:
      return body(TypeTag<std::int8_t>());
    case ElementType::uint64:
      return body(TypeTag<std::uint64_t>());
    case ElementType::uint32:
      return body(TypeTag<std::uint32_t>());
    case ElementType::uint16:
      return body(TypeTag<std::uint16_t>());
    case ElementType::uint8:
      return body(TypeTag<std::uint8_t>());
    default:
      fail_type(element);
  }
}

template <class Body>
void with_number(ElementType element, Body body) {
  is_floating(element) ? with_floating(element, body) : with_integer(element, body);
}

/// Like with_number, but accepts booleans too, with TypeTag<bool>.
template <class Body>
void with_any(ElementType element, Body body) {
  if (element == ElementType::boolean) return body(TypeTag<bool>());
  with_number(element, body);
}

/// Calls `body(TypeTag<U>())` for an unsigned type of `size` bytes, for kernels that only move
/// elements.
template <class Body>
void with_size(std::size_t size, Body body) {
  switch (size) {
    case 1:
      return body(TypeTag<std::uint8_t>());
    case 2:
      return body(TypeTag<std::uint16_t>());
    case 4:
      return body(TypeTag<std::uint32_t>());
    case 8:
      return body(TypeTag<std::uint64_t>());
    default:
      fail_run("", "has no CPU kernel for elements of " + std::to_string(size) + " bytes");
  }
}

inline std::size_t element_size(ElementType element) {
  return static_cast<std::size_t>(bits_per_element(element)) / 8;
}

/// The elements of an integer or boolean tensor as 64-bit integers.
std::vector<std::int64_t> as_integers(const TensorView& tensor);
/// The first element of a number or boolean tensor. Throws as require_element does.
double as_number(const TensorView& tensor);
/// Throws a run Error when a tensor that serves as a single number has no elements.
void require_element(const TensorView& tensor);
/// The first element of an integer or boolean tensor. Throws as require_element does.
std::int64_t as_integer(const TensorView& tensor);

}  // namespace stashscope::kernels
