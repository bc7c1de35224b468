#pragma once

#include <algorithm>
#include <vector>

#include "core/run/shared/dispatch.h"

namespace stashscope::kernels {

/// The type in which long sums of elements of type T are accumulated.
template <class T>
using Sum = std::conditional_t<
    std::is_integral_v<Compute<T>>,
    std::conditional_t<std::is_unsigned_v<Compute<T>>, std::uint64_t, std::int64_t>, double>;

/// All elements of a number or boolean tensor, converted; empty for an operand that is left out.
template <class Real>
std::vector<Real> numbers_of(const TensorView& tensor) {
  std::vector<Real> numbers;
  if (!tensor.present()) return numbers;
  with_any(tensor.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto items = tensor.as<T>();
    numbers.reserve(items.size());
    for (const T item : items) {
      numbers.push_back(static_cast<Real>(static_cast<Compute<T>>(item)));
    }
  });
  return numbers;
}

/// The first element, converted to Real. Throws a run Error when the tensor has no elements.
template <class Real>
Real number_of(const TensorView& tensor) {
  require_element(tensor);
  return numbers_of<Real>(tensor)[0];
}

/// Stores `numbers` in `tensor`, converted to its element type. `numbers` and `tensor` have the
/// same number of elements.
template <class Real>
void store_numbers(const std::vector<Real>& numbers, const TensorView& tensor) {
  with_number(tensor.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(numbers.begin(), numbers.end(), tensor.as<T>().begin(),
                   [](Real number) { return static_cast<T>(static_cast<Compute<T>>(number)); });
  });
}

/// Access to the elements of a tensor as type C: the tensor's own memory when its elements have
/// type C, else a converted copy.
template <class C>
class Converted {
 public:
  explicit Converted(const TensorView& tensor) {
    if (tensor.element == element_of<C>) {
      data_ = tensor.as<C>().data();
    } else {
      copy_ = numbers_of<C>(tensor);
      data_ = copy_.data();
    }
  }

  Converted(const Converted&) = delete;
  Converted& operator=(const Converted&) = delete;

  const C* data() const { return data_; }

 private:
  std::vector<C> copy_;
  const C* data_;
};

/// Calls `body(C*)`, which computes the elements of `tensor` as type C: directly in the tensor's
/// memory when the tensor has type C, else in scratch memory that is converted afterwards.
template <class C, class Body>
void make_converted(const TensorView& tensor, Body body) {
  if (tensor.element == element_of<C>) return body(tensor.as<C>().data());
  std::vector<C> scratch(static_cast<std::size_t>(tensor.elements()));
  body(scratch.data());
  store_numbers(scratch, tensor);
}

/// Calls `body(TypeTag<C>())` for the type in which products of floating elements are computed:
/// double for float64, else float.
template <class Body>
void with_real(ElementType element, Body body) {
  with_floating(element, [&](auto tag) { body(TypeTag<Compute<typename decltype(tag)::type>>()); });
}

/// Calls `body(result, operands...)` with pointers to elements of the type in which the result is
/// computed.
template <class Body, class... Operands>
void compute_real(const TensorView& result, Body body, const Operands&... operands) {
  with_real(result.element, [&](auto tag) {
    using C = typename decltype(tag)::type;
    make_converted<C>(result, [&](C* items) { body(items, Converted<C>(operands).data()...); });
  });
}

}  // namespace stashscope::kernels
