#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stashscope {

/// The unit that all amounts of a column or along an axis share.
struct ColumnUnit {
  std::string_view name;
  double size = 1;  ///< in bytes or seconds
  int digits = 0;   ///< decimals in a column
};

/// The units of bytes, B to EiB.
std::span<const ColumnUnit> byte_units();

/// The largest unit with |amount| >= share * unit size; else the smallest unit.
/// @param units by ascending size
const ColumnUnit& largest_unit(std::span<const ColumnUnit> units, double amount, double share = 1);

/// The unit for a column or an axis whose largest magnitude is |largest|: the largest unit in which
/// this amount is at least 1. The amount is first rounded to the decimals of the next smaller unit:
/// 1023.999 KiB is rounded to 1024.00 KiB and therefore shown in MiB.
ColumnUnit byte_unit(std::int64_t largest);
/// The unit in which `format_bytes` writes this amount, with the decimals that it writes.
ColumnUnit own_byte_unit(std::int64_t bytes);
/// The unit for a column of seconds; a column of zeros is in seconds.
ColumnUnit time_unit(double largest);

/// `0.50 MiB`, `640 B`; `<0.01 MiB` for an amount that is not 0 but rounds to 0.
/// @param amount bytes or seconds, like the unit's size
std::string format_in(const ColumnUnit& unit, double amount);

/// `1.25 s`, `640 µs`, `83.1 ms`: three significant digits between 1 ns and 1000 s. Reports and the
/// window write every time this way, except in columns with one unit.
std::string format_seconds(double seconds);

/// The smallest multiple of `unit` that is at least `number`.
/// @pre number >= 0, unit > 0, and their sum fits 64 bits
constexpr std::int64_t rounded_up(std::int64_t number, std::int64_t unit) {
  return (number + unit - 1) / unit * unit;
}

}  // namespace stashscope
