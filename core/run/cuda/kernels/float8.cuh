// 8-bit floats as stored in memory. Arithmetic uses float. Stores saturate, except those of a Cast
// that forbids it. (ONNX, "Float stored in 8 bits")

/// @tparam fraction number of fraction bits
/// @tparam largest code of the largest finite number; the next code is infinity, if the type has
/// infinity
template <int fraction, int bias, UInt32 largest, bool has_infinity>
struct Float8 {
  static constexpr UInt32 nan = has_infinity ? 0x7EU : 0x7FU;
  static constexpr int dropped = 23 - fraction;  ///< bits of a float's fraction that the type lacks

  UInt8 bits;

  __device__ static float magnitude(UInt32 code) {
    if (code > largest) {
      return float_from_bits(has_infinity && code == largest + 1 ? 0x7F800000U : 0x7FC00000U);
    }
    const UInt32 exponent = code >> fraction;
    if (exponent == 0) return float(code) * float_from_bits(UInt32(128 - bias - fraction) << 23);
    return float_from_bits((code << dropped) + (UInt32(127 - bias) << 23));
  }

  /// The code of the number nearest to `size`; ties round to even. `size` is not negative. A size
  /// that is too large becomes the largest finite number if the conversion saturates, else
  /// infinity, or NaN in types without infinity.
  __device__ static UInt32 nearest(float size, bool saturates) {
    const UInt32 whole = bits_from_float(size);
    if (whole > 0x7F800000U) return nan;
    constexpr UInt32 lowest = UInt32(128 - bias) << 23;
    if (whole < lowest)
      return UInt32(rint(size * float_from_bits(UInt32(126 + bias + fraction) << 23)));
    const UInt32 rounded = whole + (1U << (dropped - 1)) - 1 + ((whole >> dropped) & 1U);
    const UInt32 code = (rounded >> dropped) - (UInt32(127 - bias) << fraction);
    return code <= largest ? code : saturates ? largest : largest + 1;
  }

  __device__ static Float8 from(float x, bool saturates) {
    const UInt32 bits = bits_from_float(x);
    const UInt32 code = nearest(float_from_bits(bits & 0x7FFFFFFFU), saturates);
    return {UInt8(x != x ? nan : code | (bits >> 31 << 7))};
  }
};
using Float8E4M3 = Float8<3, 7, 0x7EU, false>;
using Float8E5M2 = Float8<2, 15, 0x7BU, true>;

template <int fraction, int bias, UInt32 largest, bool has_infinity>
__device__ inline float to_compute(Float8<fraction, bias, largest, has_infinity> x) {
  const float size = Float8<fraction, bias, largest, has_infinity>::magnitude(x.bits & 0x7FU);
  return (x.bits & 0x80U) != 0 ? -size : size;
}
template <int fraction, int bias, UInt32 largest, bool has_infinity>
struct ComputeType<Float8<fraction, bias, largest, has_infinity>> {
  using type = float;
};
template <int fraction, int bias, UInt32 largest, bool has_infinity>
struct Stored<Float8<fraction, bias, largest, has_infinity>> {
  __device__ static Float8<fraction, bias, largest, has_infinity> from(float x) {
    return Float8<fraction, bias, largest, has_infinity>::from(x, true);
  }
  __device__ static Float8<fraction, bias, largest, has_infinity> from(
      Float8<fraction, bias, largest, has_infinity> x) {
    return x;
  }
};
