#include "core/ops/rules/contents.h"

#include <cmath>
#include <utility>

#include "core/graph/half.h"

namespace stashscope {

std::optional<std::vector<std::int64_t>> integers_of(const std::vector<Expr>* contents) {
  if (contents == nullptr) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const Expr& item : *contents) {
    const auto number = item.integer();
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<Expr> exact_expr(double number) {
  if (!std::isfinite(number)) return std::nullopt;
  int exponent = 0;
  double mantissa = std::frexp(number, &exponent);
  std::int64_t denominator = 1;
  while (mantissa != std::floor(mantissa)) {
    mantissa *= 2;
    --exponent;
  }
  if (exponent > 0) {
    mantissa = std::ldexp(mantissa, exponent);
    constexpr double beyond_integers = 0x1p63;
    if (exponent > 20 || std::abs(mantissa) >= beyond_integers) return std::nullopt;
  } else {
    if (exponent < -60) return std::nullopt;
    denominator = std::int64_t{1} << -exponent;
  }
  return Expr(Rational::ratio(static_cast<std::int64_t>(mantissa), denominator));
}

namespace {

double rounded(double number, ElementType element) {
  const auto single = static_cast<float>(number);
  switch (element) {
    case ElementType::float32:
      return double{single};
    case ElementType::float16:
      return double{float_from_half(half_from_float(single))};
    case ElementType::bfloat16:
      return double{float_from_bfloat(bfloat_from_float(single))};
    default:
      return number;
  }
}

}  // namespace

std::optional<Expr> stored_item(const Expr& item, ElementType element) {
  const auto number = item.constant();
  if (!number) return item;
  if (is_floating(element)) return exact_expr(rounded(number->to_double(), element));
  if (!is_integer(element) && element != ElementType::boolean) return item;
  const auto integer = item.integer();
  return integer && can_hold(element, *integer) ? std::optional(item) : std::nullopt;
}

/// Tries the convergents of the continued fraction of `number`. Each convergent after the first is
/// closer to `number` than every other fraction with at most the same denominator.
Expr simplest_fraction(const Expr& number) {
  const auto exact = number.constant();
  if (!exact || exact->is_integer()) return number;
  const double wanted = exact->to_double();
  std::int64_t numerators[] = {0, 1};
  std::int64_t denominators[] = {1, 0};
  double rest = wanted;
  constexpr std::int64_t largest = 1 << 20;
  for (int i = 0; i < 16 && std::abs(rest) < largest; ++i) {
    const auto whole = static_cast<std::int64_t>(std::floor(rest));
    const std::int64_t numerator = whole * numerators[1] + numerators[0];
    const std::int64_t denominator = whole * denominators[1] + denominators[0];
    if (denominator > largest || std::abs(numerator) > largest) break;
    const double found = static_cast<double>(numerator) / static_cast<double>(denominator);
    if (static_cast<float>(found) == static_cast<float>(wanted)) {
      return Expr(Rational::ratio(numerator, denominator));
    }
    numerators[0] = std::exchange(numerators[1], numerator);
    denominators[0] = std::exchange(denominators[1], denominator);
    rest = 1 / (rest - static_cast<double>(whole));
  }
  return number;
}

}  // namespace stashscope
