#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace stashscope::cpu {

/// Arguments below this number give 0. In float, their exponentials would be about as small as the
/// least normal number, or smaller.
template <class C>
inline constexpr C least_exponent = C(-745);
template <>
inline constexpr float least_exponent<float> = -87.3F;

/// e^x, without branches, so that compilers vectorize loops over it. The result is 0 below
/// `least_exponent` and infinite above 88; in between, it is off by at most 2 units in the last
/// place.
[[gnu::always_inline]] inline float exponential(float x) {
  constexpr float most = 88;
  constexpr float log2_e = 1.44269504F;
  // ln 2 in two parts: products of the first with small integers are exact. (Cody and Waite, 1980)
  constexpr float ln2_high = 0.693359375F;
  constexpr float ln2_low = -2.12194440e-4F;
  constexpr float rounder = 12582912;  // 1.5 * 2^23: adding it rounds to an integer
  constexpr std::uint32_t one = 0x3F800000;
  constexpr int fraction_bits = 23;
  const float least = least_exponent<float>;
  const float raised = x < least ? least : x;  // NaN stays
  const float bounded = raised > most ? most : raised;
  const float shifted = bounded * log2_e + rounder;
  const float power = shifted - rounder;
  const float r = (bounded - power * ln2_high) - power * ln2_low;
  // Taylor's series; |r| is at most half of ln 2.
  float sum = 1.0F / 5040;
  sum = sum * r + 1.0F / 720;
  sum = sum * r + 1.0F / 120;
  sum = sum * r + 1.0F / 24;
  sum = sum * r + 1.0F / 6;
  sum = sum * r + 0.5F;
  sum = sum * r + 1;
  sum = sum * r + 1;
  const auto scale =
      std::bit_cast<float>((std::bit_cast<std::uint32_t>(shifted) << fraction_bits) + one);
  const float result = sum * scale;
  const float kept = x < least ? 0.0F : result;
  return x > most ? std::numeric_limits<float>::infinity() : kept;
}
inline double exponential(double x) { return std::exp(x); }

/// The greatest element that is not NaN; minus infinity if there is none.
template <class C>
C greatest_in(const C* row, std::int64_t count) {
  // A vector type, because compilers do not vectorize the loop by themselves.
  using Vector [[gnu::vector_size(32)]] = C;
  constexpr std::int64_t lanes = sizeof(Vector) / sizeof(C);
  constexpr C least = -std::numeric_limits<C>::infinity();
  Vector best = least - Vector{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Vector items;
    std::memcpy(&items, row + i, sizeof(items));
    best = items > best ? items : best;
  }
  C greatest = least;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    greatest = best[lane] > greatest ? best[lane] : greatest;
  }
  for (; i < count; ++i) greatest = row[i] > greatest ? row[i] : greatest;
  return greatest;
}

/// The sum of a row. The order of the additions depends only on `count`.
template <class C>
C sum_in(const C* row, std::int64_t count) {
  constexpr std::int64_t lanes = 16;
  std::array<C, lanes> parts{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      parts[static_cast<std::size_t>(lane)] += row[i + lane];
    }
  }
  C sum = 0;
  for (const C part : parts) sum += part;
  for (; i < count; ++i) sum += row[i];
  return sum;
}

/// row[i] = e^(row[i] - shift)
inline void exponentiate(double* row, std::int64_t count, double shift) {
  for (std::int64_t i = 0; i < count; ++i) row[i] = std::exp(row[i] - shift);
}
/// Uses the vector units that the processor has.
void exponentiate(float* row, std::int64_t count, float shift);

/// Replaces the scores of a row by their weights, e^(score - shift). Returns false if all weights
/// are known to be 0, for example because all keys are masked.
/// @param greatest the result of `greatest_in` for the scores
template <class C>
bool make_weights(C* row, std::int64_t count, C greatest, C shift) {
  if (greatest < shift + least_exponent<C> && !std::isnan(sum_in(row, count))) {
    for (std::int64_t i = 0; i < count; ++i) row[i] = 0;
    return false;
  }
  exponentiate(row, count, shift);
  return true;
}

/// Whether no element is infinite or NaN.
template <class C>
bool all_finite(const C* row, std::int64_t count) {
  constexpr C most = std::numeric_limits<C>::max();
  int finite = 1;
  for (std::int64_t i = 0; i < count; ++i) finite &= std::abs(row[i]) <= most ? 1 : 0;
  return finite != 0;
}

}  // namespace stashscope::cpu
