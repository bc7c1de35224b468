#include "core/run/cuda/codegen/element_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>

#include "core/base/error.h"

namespace stashscope::cuda {

namespace {

[[noreturn]] void fail_type(ElementType element) {
  fail_run("", "elements of type " + std::string(name_of(element)) +
                   " are not supported on CUDA devices");
}

}  // namespace

std::string device_type(ElementType element) {
  switch (element) {
    case ElementType::float32:
      return "float";
    case ElementType::float64:
      return "double";
    case ElementType::float16:
      return "Half";
    case ElementType::bfloat16:
      return "BFloat16";
    case ElementType::float8e4m3fn:
      return "Float8E4M3";
    case ElementType::float8e5m2:
      return "Float8E5M2";
    case ElementType::boolean:
    case ElementType::uint8:
      return "UInt8";
    case ElementType::int8:
      return "Int8";
    case ElementType::uint16:
      return "UInt16";
    case ElementType::int16:
      return "Int16";
    case ElementType::uint32:
      return "UInt32";
    case ElementType::int32:
      return "Int32";
    case ElementType::uint64:
      return "UInt64";
    case ElementType::int64:
      return "Int64";
    default:
      fail_type(element);
  }
}

ElementType compute_element(ElementType element) {
  const bool is_short = is_floating(element) && bits_per_element(element) < 32;
  return is_short ? ElementType::float32 : element;
}

std::string moved_type(std::int64_t bytes) {
  if (bytes == 16) return "Pack<UInt64, 2>";
  return "UInt" + std::to_string(8 * bytes);
}

std::int64_t element_bytes(ElementType element) {
  const int bits = bits_per_element(element);
  if (bits < 8) fail_type(element);
  return bits / 8;
}

std::string float_text(float value) {
  return "float_from_bits(" + std::to_string(std::bit_cast<std::uint32_t>(value)) + "u)";
}

std::string number_text(double number) {
  if (std::isnan(number)) return "double(float_from_bits(0x7FC00000U))";
  if (std::isinf(number)) return number > 0 ? "infinity()" : "-infinity()";
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%a", number);
  return text.data();
}

DropoutTexts dropout_texts(std::uint64_t seed, double share) {
  const auto threshold = static_cast<std::uint64_t>(std::ceil(std::min(share, 1.0) * 0x1p53));
  return {"PositionalRandom(" + std::to_string(seed) + "ULL)", std::to_string(threshold) + "ULL",
          number_text(1 / (1 - share))};
}

}  // namespace stashscope::cuda
