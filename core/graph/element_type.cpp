#include "core/graph/element_type.h"

#include <array>

#include "core/base/error.h"

namespace stashscope {

namespace {

enum class Family : std::uint8_t { other, integer, unsigned_integer, floating };

struct Traits {
  std::string_view name;
  int bits;
  Family family;
};

// The index is the number of the ElementType.
constexpr std::array<Traits, 27> traits = {{
    {"undefined", 0, Family::other},
    {"float32", 32, Family::floating},
    {"uint8", 8, Family::unsigned_integer},
    {"int8", 8, Family::integer},
    {"uint16", 16, Family::unsigned_integer},
    {"int16", 16, Family::integer},
    {"int32", 32, Family::integer},
    {"int64", 64, Family::integer},
    {"string", 0, Family::other},
    {"bool", 8, Family::other},
    {"float16", 16, Family::floating},
    {"float64", 64, Family::floating},
    {"uint32", 32, Family::unsigned_integer},
    {"uint64", 64, Family::unsigned_integer},
    {"complex64", 64, Family::other},
    {"complex128", 128, Family::other},
    {"bfloat16", 16, Family::floating},
    {"float8e4m3fn", 8, Family::floating},
    {"float8e4m3fnuz", 8, Family::floating},
    {"float8e5m2", 8, Family::floating},
    {"float8e5m2fnuz", 8, Family::floating},
    {"uint4", 4, Family::unsigned_integer},
    {"int4", 4, Family::integer},
    {"float4e2m1", 4, Family::floating},
    {"float8e8m0", 8, Family::floating},
    {"uint2", 2, Family::unsigned_integer},
    {"int2", 2, Family::integer},
}};

const Traits& traits_of(ElementType type) { return traits[static_cast<std::size_t>(type)]; }

}  // namespace

bool is_known_element_type(int number) {
  return number > 0 && number < static_cast<int>(traits.size());
}

int bits_per_element(ElementType type) { return traits_of(type).bits; }

std::int64_t packed_bytes(ElementType type, std::int64_t elements) {
  std::int64_t bits = 0;
  const bool overflow =
      __builtin_mul_overflow(elements, std::int64_t{bits_per_element(type)}, &bits) ||
      __builtin_add_overflow(bits, std::int64_t{7}, &bits);
  if (overflow) fail_input("", "a tensor's size does not fit into 64 bits");
  return bits / 8;
}

bool is_floating(ElementType type) { return traits_of(type).family == Family::floating; }
bool is_integer(ElementType type) {
  return traits_of(type).family == Family::integer || is_unsigned_integer(type);
}
bool is_unsigned_integer(ElementType type) {
  return traits_of(type).family == Family::unsigned_integer;
}
bool can_hold(ElementType type, std::int64_t number) {
  if (type == ElementType::boolean) return number == 0 || number == 1;
  const bool is_unsigned = is_unsigned_integer(type);
  if (is_unsigned && number < 0) return false;
  const int bits = bits_per_element(type) - (is_unsigned ? 0 : 1);
  if (bits >= 63) return true;
  const std::int64_t limit = std::int64_t{1} << bits;
  return number < limit && number >= -limit;
}
std::string_view name_of(ElementType type) { return traits_of(type).name; }

}  // namespace stashscope
