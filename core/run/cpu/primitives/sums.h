#pragma once

#include <array>
#include <cstdint>

namespace stashscope::cpu {

/// term(0) + ... + term(count - 1) in double. Eight partial sums let the CPU add several terms at
/// once; the order of the additions depends only on `count`.
template <class Term>
double sum_of(std::int64_t count, Term term) {
  constexpr std::int64_t lanes = 8;
  std::array<double, lanes> parts{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      parts[static_cast<std::size_t>(lane)] += static_cast<double>(term(i + lane));
    }
  }
  double sum = 0;
  for (const double part : parts) sum += part;
  for (; i < count; ++i) sum += static_cast<double>(term(i));
  return sum;
}

template <class T>
double sum_of(const T* items, std::int64_t count) {
  return sum_of(count, [items](std::int64_t i) { return items[i]; });
}

}  // namespace stashscope::cpu
