#include "core/run/shared/dispatch.h"

namespace stashscope::kernels {

void require_element(const TensorView& tensor) {
  if (tensor.elements() < 1) fail_run("", "needs one number, but its operand has no elements");
}

std::vector<std::int64_t> as_integers(const TensorView& tensor) {
  std::vector<std::int64_t> numbers;
  const auto read = [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const T item : tensor.as<T>()) numbers.push_back(static_cast<std::int64_t>(item));
  };
  if (tensor.element == ElementType::boolean) {
    read(TypeTag<bool>());
  } else {
    with_integer(tensor.element, read);
  }
  return numbers;
}

std::int64_t as_integer(const TensorView& tensor) {
  require_element(tensor);
  return as_integers(tensor)[0];
}

double as_number(const TensorView& tensor) {
  require_element(tensor);
  double number = 0;
  with_any(tensor.element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    number = static_cast<double>(static_cast<Compute<T>>(tensor.as<T>()[0]));
  });
  return number;
}

}  // namespace stashscope::kernels
