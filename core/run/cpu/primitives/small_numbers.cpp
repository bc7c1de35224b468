#include "core/run/cpu/primitives/small_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/run/shared/numbers.h"

namespace stashscope::cpu {

namespace {

constexpr int none = -1;

/// The layout of a small float: sign bit, exponent, fraction.
struct FloatFormat {
  int bits;
  int fraction;  ///< bits of the fraction
  int bias;
  int largest;   ///< code of the largest finite number
  int infinity;  ///< code of infinity, or `none`
  int nan;       ///< code of NaN, or `none`
  bool negative_zero;
};

constexpr FloatFormat e4m3fn = {8, 3, 7, 0x7E, none, 0x7F, true};
constexpr FloatFormat e4m3fnuz = {8, 3, 8, 0x7F, none, 0x80, false};
constexpr FloatFormat e5m2 = {8, 2, 15, 0x7B, 0x7C, 0x7E, true};
constexpr FloatFormat e5m2fnuz = {8, 2, 16, 0x7F, none, 0x80, false};
constexpr FloatFormat e2m1 = {4, 1, 1, 0x7, none, none, true};

constexpr int exponent_bias = 127;  // float8e8m0 has only an exponent
constexpr int exponent_nan = 0xFF;

const FloatFormat* float_format(ElementType element) {
  switch (element) {
    case ElementType::float8e4m3fn:
      return &e4m3fn;
    case ElementType::float8e4m3fnuz:
      return &e4m3fnuz;
    case ElementType::float8e5m2:
      return &e5m2;
    case ElementType::float8e5m2fnuz:
      return &e5m2fnuz;
    case ElementType::float4e2m1:
      return &e2m1;
    default:
      return nullptr;
  }
}

bool is_signed(ElementType element) {
  return element == ElementType::int4 || element == ElementType::int2;
}

double magnitude(const FloatFormat& format, int code) {
  const int exponent = code >> format.fraction;
  const int fraction = code & ((1 << format.fraction) - 1);
  const int whole = exponent == 0 ? fraction : fraction + (1 << format.fraction);
  return std::ldexp(whole, std::max(exponent, 1) - format.bias - format.fraction);
}

double float_of(const FloatFormat& format, int code) {
  const int sign_bit = 1 << (format.bits - 1);
  const int below_sign = code & (sign_bit - 1);
  if (code == format.nan ||
      (format.negative_zero && below_sign > format.largest && below_sign != format.infinity)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double size = below_sign == format.infinity ? std::numeric_limits<double>::infinity()
                                                    : magnitude(format, below_sign);
  return (code & sign_bit) != 0 ? -size : size;
}

/// The code of the nearest number, ties to even; nullopt above the largest finite number.
std::optional<int> nearest_code(const FloatFormat& format, double size) {
  if (size == 0) return 0;
  if (std::isinf(size)) return std::nullopt;
  const int lowest = 1 - format.bias;
  const int exponent = std::max(std::ilogb(size), lowest);
  const auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, format.fraction - exponent)));
  // If rounding brings the fraction to the next power of two, the sum carries into the exponent.
  const int code = ((exponent - lowest) << format.fraction) + steps;
  return code <= format.largest ? std::optional(code) : std::nullopt;
}

int float_code(const FloatFormat& format, double number, bool saturates) {
  const int sign_bit = 1 << (format.bits - 1);
  // Types without a code for NaN use negative zero instead, as ONNX specifies.
  if (std::isnan(number)) return format.nan == none ? sign_bit : format.nan;
  const int sign = std::signbit(number) ? sign_bit : 0;
  if (const auto code = nearest_code(format, std::abs(number))) {
    return *code == 0 && !format.negative_zero ? 0 : sign | *code;
  }
  if (saturates || format.nan == none) return sign | format.largest;
  if (format.infinity != none) return sign | format.infinity;
  return format.negative_zero ? sign | format.nan : format.nan;
}

double power_of(int code) {
  return code == exponent_nan ? std::numeric_limits<double>::quiet_NaN()
                              : std::ldexp(1.0, code - exponent_bias);
}

/// The code of a number in float8e8m0. The type has no sign bit, so signs are dropped.
int exponent_code(double number, const SmallRounding& rounding) {
  const double size = std::abs(number);
  if (std::isnan(number)) return exponent_nan;
  constexpr int largest = exponent_nan - 1;
  if (std::isinf(number)) return rounding.saturates ? largest : exponent_nan;
  if (size < std::ldexp(1.0, -exponent_bias)) return 0;
  int exponent = std::ilogb(size);
  const double over = std::ldexp(size, -exponent);
  const bool up = rounding.exponents == "up"        ? over > 1
                  : rounding.exponents == "nearest" ? over >= 1.5
                                                    : false;
  exponent += (up ? 1 : 0) + exponent_bias;
  if (exponent <= largest) return exponent;
  return rounding.saturates ? largest : exponent_nan;
}

/// The code of a number in an integer type: the lowest `bits` bits after rounding towards zero.
int integer_code(double number, int bits) {
  const bool fits = std::abs(number) < 0x1p63;
  const std::int64_t whole = fits ? static_cast<std::int64_t>(number) : 0;
  return static_cast<int>(whole & ((1 << bits) - 1));
}

double integer_of(ElementType element, int code, int bits) {
  const bool negative = is_signed(element) && (code >> (bits - 1)) != 0;
  return negative ? code - (1 << bits) : code;
}

}  // namespace

bool is_small_number(ElementType element) {
  const int bits = bits_per_element(element);
  return (is_floating(element) && bits <= 8) || (is_integer(element) && bits < 8);
}

std::vector<double> small_numbers(const TensorView& tensor) {
  const int bits = bits_per_element(tensor.element);
  const FloatFormat* const format = float_format(tensor.element);
  const auto count = static_cast<std::size_t>(tensor.elements());
  const std::size_t per_byte = 8 / static_cast<std::size_t>(bits);
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int shift = static_cast<int>(i % per_byte) * bits;
    const int code = (std::to_integer<int>(tensor.data[i / per_byte]) >> shift) & ((1 << bits) - 1);
    if (format != nullptr) {
      numbers[i] = float_of(*format, code);
    } else {
      numbers[i] =
          is_floating(tensor.element) ? power_of(code) : integer_of(tensor.element, code, bits);
    }
  }
  return numbers;
}

std::vector<double> all_numbers(const TensorView& tensor) {
  return is_small_number(tensor.element) ? small_numbers(tensor) : numbers_of<double>(tensor);
}

std::vector<double> lowest_bits(const TensorView& tensor) {
  std::vector<double> numbers;
  for (const std::int64_t item : as_integers(tensor)) {
    numbers.push_back(static_cast<double>(item & 0xFF));
  }
  return numbers;
}

void store_small_numbers(const std::vector<double>& numbers, const SmallRounding& rounding,
                         const TensorView& tensor) {
  const int bits = bits_per_element(tensor.element);
  const FloatFormat* const format = float_format(tensor.element);
  const std::size_t per_byte = 8 / static_cast<std::size_t>(bits);
  std::fill_n(tensor.data, packed_bytes(tensor.element, tensor.elements()), std::byte(0));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    int code = 0;
    if (format != nullptr) {
      code = float_code(*format, numbers[i], rounding.saturates);
    } else {
      code = is_floating(tensor.element) ? exponent_code(numbers[i], rounding)
                                         : integer_code(numbers[i], bits);
    }
    const auto shift = static_cast<int>(i % per_byte) * bits;
    tensor.data[i / per_byte] |= std::byte(static_cast<unsigned char>(code << shift));
  }
}

}  // namespace stashscope::cpu
