#pragma once

// Tensors whose elements do not matter.

#include "../cpu/element_types.h"
#include "kernel_cases.h"

namespace stashscope::testing_run {

/// Floats between -1 and 1, whole numbers below 50, booleans; other ones for each `variant`.
inline Tensor made_up(ElementType element, std::vector<std::int64_t> dims, unsigned variant = 1) {
  const auto count = static_cast<std::size_t>(element_count(dims));
  unsigned state = variant * 2654435761U + static_cast<unsigned>(count);
  const auto next = [&state] {
    state = state * 1664525U + 1013904223U;
    return state >> 8;
  };
  if (is_floating(element)) {
    std::vector<double> items(count);
    for (double& item : items) item = static_cast<double>(next() % 2001) / 1000.0 - 1;
    return converted(doubles(std::move(dims), items), element);
  }
  const auto bytes = static_cast<std::size_t>(bits_per_element(element)) / 8;
  std::string raw(count * bytes, '\0');
  const unsigned limit = element == ElementType::boolean ? 2 : 50;
  for (std::size_t i = 0; i < count; ++i) raw[i * bytes] = static_cast<char>(next() % limit);
  return {element, std::move(dims), std::move(raw)};
}

}  // namespace stashscope::testing_run
