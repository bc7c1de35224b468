#include "made_tensors.h"

#include <cmath>

#include "core/run/cpu/numbers.h"
#include "core/run/cpu/random.h"

namespace stashscope::testing_run {

Tensor tensor_of_numbers(ElementType element, Dims dims, const std::vector<double>& numbers) {
  std::string raw(static_cast<std::size_t>(packed_bytes(element, element_count(dims))), '\0');
  const ElementType stored = element == ElementType::boolean ? ElementType::uint8 : element;
  cpu::store_numbers(numbers, {stored, dims, reinterpret_cast<std::byte*>(raw.data())});
  return {element, std::move(dims), std::move(raw)};
}

Tensor spread(ElementType element, Dims dims, double low, double high) {
  if (element == ElementType::boolean) {
    low = 0;
    high = 2;
  }
  const cpu::PositionalRandom random(static_cast<std::uint64_t>(element_count(dims)) + dims.size());
  std::vector<double> numbers(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = low + (high - low) * random.uniform(i);
    if (!is_floating(element)) numbers[i] = std::floor(numbers[i]);
  }
  return tensor_of_numbers(element, std::move(dims), numbers);
}

}  // namespace stashscope::testing_run
