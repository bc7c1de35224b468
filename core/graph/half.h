#pragma once

#include <bit>
#include <cstdint>

namespace stashscope {

/// Converts IEEE 754 binary16 to binary32, exactly.
inline float float_from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1FU;
  const std::uint32_t fraction = half & 0x3FFU;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(magnitude) | sign);
  }
  const std::uint32_t bits =
      exponent == 31 ? 0x7F800000U | (fraction << 13) : ((exponent + 112) << 23) | (fraction << 13);
  return std::bit_cast<float>(bits | sign);
}

/// Converts IEEE 754 binary32 to binary16, rounding to nearest, ties to even.
inline std::uint16_t half_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  if (magnitude >= 0x7F800000U) {  // infinity and NaN
    const bool nan = magnitude > 0x7F800000U;
    return static_cast<std::uint16_t>(sign | 0x7C00U | (nan ? 0x200U : 0U));
  }
  if (magnitude >= 0x477FF000U) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x38800000U) {
    // The result is subnormal, a multiple of 2^-24. A float between 0.5 and 1 is such a multiple,
    // too, so the addition of 0.5 rounds the magnitude.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3F000000U));
  }
  const std::uint32_t rounded = magnitude + 0xFFFU + ((magnitude >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

inline float float_from_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

/// Converts binary32 to bfloat16, rounding to nearest, ties to even.
inline std::uint16_t bfloat_from_float(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7FFFFFFFU) > 0x7F800000U) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

}  // namespace stashscope
