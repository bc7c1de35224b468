// Conversions between element types.

#include <cmath>
#include <limits>

#include "core/run/cpu/kernels/families.h"
#include "core/run/cpu/primitives/broadcast.h"
#include "core/run/cpu/primitives/small_numbers.h"
#include "core/run/cpu/primitives/strided_copy.h"

namespace stashscope::cpu {

namespace {

/// Converts a number to type `To`. A floating-point number that becomes an integer is truncated
/// towards zero. NaN and floating-point numbers outside the range of int64 first become the
/// smallest int64, as on x86 processors. For uint64, floating-point numbers from 2^63 to below 2^64
/// keep their value, and larger ones become 0. Integers wrap.
template <class To, class From>
To converted(From item) {
  if constexpr (std::is_same_v<To, bool>) {
    return item != From(0);
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if constexpr (std::is_same_v<To, std::uint64_t>) {
      if (item >= From(0x1p63)) return item < From(0x1p64) ? static_cast<To>(item) : To(0);
    }
    const bool fits = item >= From(-0x1p63) && item < From(0x1p63);
    return static_cast<To>(fits ? static_cast<std::int64_t>(item)
                                : std::numeric_limits<std::int64_t>::min());
  } else {
    return static_cast<To>(item);
  }
}

/// Returns the elements of the input. If the cast converts integers of at least 8 bits to integers
/// of at most 4 bits, returns only the lowest 8 bits of each element.
std::vector<double> numbers_to_cast(const KernelContext& context) {
  const TensorView& from = context.in(0);
  const bool keeps_bits = is_integer(from.element) && !is_small_number(from.element) &&
                          is_integer(context.out().element);
  return keeps_bits ? lowest_bits(from) : all_numbers(from);
}

/// Casts from or to floats of at most 8 bits and integers of at most 4 bits.
void cast_small(const KernelContext& context) {
  const std::vector<double> numbers = numbers_to_cast(context);
  if (is_small_number(context.out().element)) {
    const Attributes& attributes = context.attributes();
    const SmallRounding rounding = {attributes.integer("saturate", 1) != 0,
                                    attributes.text("round_mode", "up")};
    return store_small_numbers(numbers, rounding, context.out());
  }
  with_any(context.out().element, [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(numbers.begin(), numbers.end(), context.out().as<T>().begin(),
                   [](double number) { return static_cast<T>(converted<Compute<T>>(number)); });
  });
}

void cast(const KernelContext& context) {
  if (is_small_number(context.in(0).element) || is_small_number(context.out().element)) {
    return cast_small(context);
  }
  with_any(context.in(0).element, [&](auto from_tag) {
    using From = typename decltype(from_tag)::type;
    with_any(context.out().element, [&](auto to_tag) {
      using To = typename decltype(to_tag)::type;
      map_elements<From, To>(context.in(0), context.out(),
                             [](auto item) { return converted<Compute<To>>(item); });
    });
  });
}

void bit_cast(const KernelContext& context) { copy_all(context.in(0), context.out()); }

}  // namespace

void add_cast_kernels(KernelRegistry& registry) {
  registry.add("", "BitCast", {bit_cast});
  registry.add("", "Cast", {cast});
  registry.add("", "CastLike", {cast});
}

}  // namespace stashscope::cpu
