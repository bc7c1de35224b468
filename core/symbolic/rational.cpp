#include "core/symbolic/rational.h"

#include <limits>

namespace stashscope {

namespace {

// 128 bits hold the product of two 64-bit factors, so every operation is exact before narrowing.
__extension__ using Wide = __int128;

Wide gcd(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

std::int64_t narrow(Wide number) {
  if (number > std::numeric_limits<std::int64_t>::max() ||
      number < -std::numeric_limits<std::int64_t>::max()) {
    throw ExpressionTooLarge();
  }
  return static_cast<std::int64_t>(number);
}

struct Fraction {
  Wide numerator;
  Wide denominator;
};

Fraction reduced(Fraction fraction) {
  const Wide divisor = gcd(fraction.numerator, fraction.denominator);
  if (fraction.denominator < 0) {
    return {-fraction.numerator / divisor, -fraction.denominator / divisor};
  }
  return {fraction.numerator / divisor, fraction.denominator / divisor};
}

Rational from_wide(Wide numerator, Wide denominator) {
  if (denominator == 1) return narrow(numerator);
  const Fraction fraction = reduced({numerator, denominator});
  return Rational::ratio(narrow(fraction.numerator), narrow(fraction.denominator));
}

}  // namespace

Rational Rational::ratio(std::int64_t numerator, std::int64_t denominator) {
  const Fraction fraction = reduced({numerator, denominator});
  Rational result;
  result.numerator_ = narrow(fraction.numerator);
  result.denominator_ = narrow(fraction.denominator);
  return result;
}

std::int64_t Rational::floor() const {
  const std::int64_t quotient = numerator_ / denominator_;
  return numerator_ % denominator_ < 0 ? quotient - 1 : quotient;
}

Rational operator+(Rational a, Rational b) {
  return from_wide(Wide{a.numerator_} * b.denominator_ + Wide{b.numerator_} * a.denominator_,
                   Wide{a.denominator_} * b.denominator_);
}

Rational operator-(Rational a, Rational b) { return a + -b; }

Rational operator*(Rational a, Rational b) {
  return from_wide(Wide{a.numerator_} * b.numerator_, Wide{a.denominator_} * b.denominator_);
}

Rational operator/(Rational a, Rational b) {
  return from_wide(Wide{a.numerator_} * b.denominator_, Wide{a.denominator_} * b.numerator_);
}

Rational Rational::operator-() const {
  Rational result = *this;
  result.numerator_ = narrow(-Wide{numerator_});
  return result;
}

std::strong_ordering operator<=>(Rational a, Rational b) {
  return Wide{a.numerator_} * b.denominator_ <=> Wide{b.numerator_} * a.denominator_;
}

}  // namespace stashscope
