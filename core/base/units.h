#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stashscope {

/// What all amounts of a column or along an axis are written in, so that they compare at a glance.
struct ColumnUnit {
  std::string_view name;
  double size = 1;  ///< in bytes or seconds
  int digits = 0;   ///< decimals in a column
};

/// B to EiB, of bytes.
std::span<const ColumnUnit> byte_units();

/// The largest unit that `amount`, whatever its sign, has at least `share` of; else the smallest.
/// @param units by ascending size
const ColumnUnit& largest_unit(std::span<const ColumnUnit> units, double amount, double share = 1);

/// For a column or an axis up to `largest`, whatever its sign: the largest unit that this has at
/// least once when it is written in it.
ColumnUnit byte_unit(std::int64_t largest);
/// Of seconds. Nothing but zeros is in seconds.
ColumnUnit time_unit(double largest);

/// `0.50 MiB`, `640 B`; `<0.01 MiB` for what is not 0 but would read so.
/// @param amount bytes or seconds, as the unit's size is
std::string format_in(const ColumnUnit& unit, double amount);

/// `1.25 s`, `640 µs`, `83.1 ms`: three significant digits. Reports and the window write every time
/// this way, but for columns that keep to one unit.
std::string format_seconds(double seconds);

}  // namespace stashscope
