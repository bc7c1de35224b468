#pragma once

#include <cstdint>
#include <string_view>

namespace stashscope {

/// The element types of ONNX, numbered as in TensorProto.DataType.
enum class ElementType : std::uint8_t {
  undefined = 0,
  float32 = 1,
  uint8 = 2,
  int8 = 3,
  uint16 = 4,
  int16 = 5,
  int32 = 6,
  int64 = 7,
  string = 8,
  boolean = 9,
  float16 = 10,
  float64 = 11,
  uint32 = 12,
  uint64 = 13,
  complex64 = 14,
  complex128 = 15,
  bfloat16 = 16,
  float8e4m3fn = 17,
  float8e4m3fnuz = 18,
  float8e5m2 = 19,
  float8e5m2fnuz = 20,
  uint4 = 21,
  int4 = 22,
  float4e2m1 = 23,
  float8e8m0 = 24,
  uint2 = 25,
  int2 = 26,
};

/// Whether `number` is an enumerator above, except undefined.
bool is_known_element_type(int number);

/// The number of bits of one element; 0 for undefined and string.
int bits_per_element(ElementType type);

/// Bytes of `elements` packed elements (three 4-bit elements take 2 bytes); 0 for strings.
/// Throws an input Error when the number of bits does not fit into 64 bits.
std::int64_t packed_bytes(ElementType type, std::int64_t elements);

/// Whether the type is a floating-point type. Gradients flow only through such types.
bool is_floating(ElementType type);
bool is_integer(ElementType type);
bool is_unsigned_integer(ElementType type);
/// Whether `number` is in the range of `type`, an integer type or bool.
bool can_hold(ElementType type, std::int64_t number);

/// `float32`, `int64`, ...
std::string_view name_of(ElementType type);

}  // namespace stashscope
