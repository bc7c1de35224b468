#include "core/base/units.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/text.h"

namespace stashscope {

namespace {

/// GiB and above have three decimals, because peaks often differ by a few MiB only.
constexpr std::array<ColumnUnit, 7> all_byte_units = {{{"B", 1, 0},
                                                       {"KiB", 0x1p10, 2},
                                                       {"MiB", 0x1p20, 2},
                                                       {"GiB", 0x1p30, 3},
                                                       {"TiB", 0x1p40, 3},
                                                       {"PiB", 0x1p50, 3},
                                                       {"EiB", 0x1p60, 3}}};
constexpr std::array<ColumnUnit, 4> all_time_units = {
    {{"ns", 1e-9, 2}, {"µs", 1e-6, 2}, {"ms", 1e-3, 2}, {"s", 1, 2}}};

/// The largest unit that `largest` reaches when it is rounded to the decimals of the next smaller
/// unit; the first unit if there is no such unit.
ColumnUnit chosen(std::span<const ColumnUnit> units, double largest) {
  ColumnUnit unit = units.front();
  for (const ColumnUnit& larger : units.subspan(1)) {
    const double rounding = unit.size * std::pow(10, -unit.digits) / 2;
    if (std::abs(largest) + rounding < larger.size) break;
    unit = larger;
  }
  return unit;
}

}  // namespace

std::span<const ColumnUnit> byte_units() { return all_byte_units; }

const ColumnUnit& largest_unit(std::span<const ColumnUnit> units, double amount, double share) {
  const auto fits = [&](const ColumnUnit& unit) { return std::abs(amount) >= share * unit.size; };
  const auto found = std::find_if(units.rbegin(), units.rend(), fits);
  return found == units.rend() ? units.front() : *found;
}

ColumnUnit byte_unit(std::int64_t largest) {
  return chosen(all_byte_units, static_cast<double>(largest));
}

ColumnUnit own_byte_unit(std::int64_t bytes) {
  const auto amount = static_cast<double>(bytes);
  ColumnUnit unit = largest_unit(all_byte_units, amount);
  const double number = std::abs(amount) / unit.size;
  if (unit.size > 1) unit.digits = number < 10 ? 2 : number < 100 ? 1 : 0;
  return unit;
}

ColumnUnit time_unit(double largest) {
  return largest == 0 ? all_time_units.back() : chosen(all_time_units, largest);
}

std::string format_in(const ColumnUnit& unit, double amount) {
  std::string number = format_fixed(std::abs(amount) / unit.size, unit.digits);
  const bool reads_as_nothing = number.find_first_not_of("0.") == std::string::npos;
  if (amount != 0 && reads_as_nothing) {
    number = "<" + format_fixed(std::pow(10, -unit.digits), unit.digits);
  }
  return (amount < 0 ? "−" : "") + number + " " + std::string(unit.name);
}

std::string format_seconds(double seconds) {
  if (seconds == 0) return "0 s";
  // An amount that rounds to 1 of the next unit is written in that unit.
  const ColumnUnit& unit = largest_unit(all_time_units, seconds, 0.9995);
  const double amount = std::abs(seconds) / unit.size;
  const int digits = amount >= 99.95 ? 0 : amount >= 9.995 ? 1 : 2;
  return (seconds < 0 ? "−" : "") + format_fixed(amount, digits) + " " + std::string(unit.name);
}

}  // namespace stashscope
