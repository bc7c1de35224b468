#include "made_tensors.h"

#include <cmath>
#include <random>

#include "core/run/cpu/primitives/random.h"
#include "core/run/shared/numbers.h"

namespace stashscope::testing_run {

Tensor tensor_of_numbers(ElementType element, Dims dims, const std::vector<double>& numbers) {
  std::string raw(static_cast<std::size_t>(packed_bytes(element, element_count(dims))), '\0');
  const ElementType stored = element == ElementType::boolean ? ElementType::uint8 : element;
  kernels::store_numbers(numbers, {stored, dims, reinterpret_cast<std::byte*>(raw.data())});
  return {element, std::move(dims), std::move(raw)};
}

Tensor spread(ElementType element, Dims dims, double low, double high, unsigned variant) {
  if (element == ElementType::boolean) {
    low = 0;
    high = 2;
  }
  const cpu::PositionalRandom random(static_cast<std::uint64_t>(element_count(dims)) + dims.size() +
                                     (std::uint64_t{variant} << 32));
  std::vector<double> numbers(static_cast<std::size_t>(element_count(dims)));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = low + (high - low) * random.uniform(i);
    if (!is_floating(element)) numbers[i] = std::floor(numbers[i]);
  }
  return tensor_of_numbers(element, std::move(dims), numbers);
}

Tensor made_up(ElementType element, Dims dims, unsigned variant) {
  return is_floating(element) ? spread(element, std::move(dims), -1, 1, variant)
                              : spread(element, std::move(dims), 0, 50, variant);
}

Tensor random_tensor(ElementType element, Dims dims, double mean, double deviation) {
  std::seed_seq seeds = {element_count(dims), std::ssize(dims),
                         static_cast<std::int64_t>(1000 * mean),
                         static_cast<std::int64_t>(1000 * deviation)};
  std::mt19937_64 random(seeds);
  std::normal_distribution<double> normal(mean, deviation);
  std::vector<double> numbers(static_cast<std::size_t>(element_count(dims)));
  for (double& number : numbers) number = normal(random);
  return tensor_of_numbers(element, std::move(dims), numbers);
}

}  // namespace stashscope::testing_run
