#pragma once

#include <compare>
#include <cstdint>

#include "core/base/error.h"

namespace stashscope {

/// Thrown when an expression exceeds its bounds (64-bit coefficients, number of terms, degree).
/// Shape inference then takes a fresh symbol, so that a hostile model cannot exhaust the analysis.
class ExpressionTooLarge : public Error {
 public:
  ExpressionTooLarge() : Error(ErrorKind::input, "", "the symbolic expression grew too large") {}
};

/// An exact fraction in lowest terms; the denominator is positive.
class Rational {
 public:
  constexpr Rational() = default;
  constexpr Rational(std::int64_t integer) : numerator_(integer) {}  // NOLINT: numbers convert
  /// @param denominator not 0
  static Rational ratio(std::int64_t numerator, std::int64_t denominator);

  std::int64_t numerator() const { return numerator_; }
  std::int64_t denominator() const { return denominator_; }
  bool is_integer() const { return denominator_ == 1; }
  bool is_zero() const { return numerator_ == 0; }
  int sign() const { return numerator_ < 0 ? -1 : numerator_ > 0 ? 1 : 0; }
  std::int64_t floor() const;
  double to_double() const {
    return static_cast<double>(numerator_) / static_cast<double>(denominator_);
  }

  friend Rational operator+(Rational a, Rational b);
  friend Rational operator-(Rational a, Rational b);
  friend Rational operator*(Rational a, Rational b);
  friend Rational operator/(Rational a, Rational b);
  Rational operator-() const;
  friend bool operator==(Rational a, Rational b) = default;
  friend std::strong_ordering operator<=>(Rational a, Rational b);

 private:
  std::int64_t numerator_ = 0;
  std::int64_t denominator_ = 1;
};

}  // namespace stashscope
