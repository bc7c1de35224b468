#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stashscope {

/// What all amounts of a column are written in, so that they compare at a glance.
struct ColumnUnit {
  std::string_view name;
  double size = 1;  ///< in bytes or seconds
  int digits = 0;   ///< decimals
};

/// B to EiB: the largest one that `largest`, whatever its sign, has at least once.
ColumnUnit byte_unit(std::int64_t largest);
/// ns to s, of seconds. Nothing but zeros is in seconds.
ColumnUnit time_unit(double largest);

/// `0.50 MiB`, `640 B`; `<0.01 MiB` for what is not 0 but would read so.
/// @param amount bytes or seconds, as the unit's size is
std::string format_in(const ColumnUnit& unit, double amount);

}  // namespace stashscope
