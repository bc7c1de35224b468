#include "ui/memory/byte_axis.h"

#include <algorithm>
#include <array>

#include "core/base/text.h"

namespace stashscope::ui {

namespace {

constexpr std::array<const char*, 6> unit_names = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

struct Unit {
  std::int64_t bytes = 1;
  const char* name = unit_names[0];
};

/// The largest unit of which `top` has at least one.
Unit unit_of(std::int64_t top) {
  Unit unit;
  for (std::size_t i = 1; i < unit_names.size() && top / unit.bytes >= 1024; ++i) {
    unit = {unit.bytes * 1024, unit_names[i]};
  }
  return unit;
}

/// The first round share or multiple of the unit that is not much less than `wanted`.
std::int64_t rounded(double wanted, std::int64_t unit) {
  for (const std::int64_t share : {8, 4, 2}) {
    if (unit >= share && static_cast<double>(unit / share) >= 0.7 * wanted) return unit / share;
  }
  std::int64_t last = unit;
  for (const std::int64_t number : {1, 2, 5, 10, 20, 50, 100, 200, 500}) {
    last = number * unit;
    if (static_cast<double>(last) >= 0.7 * wanted) break;
  }
  return last;
}

std::string text_of(std::int64_t bytes, const Unit& unit) {
  if (bytes == 0) return "0";
  return format_number(static_cast<double>(bytes) / static_cast<double>(unit.bytes)) + " " +
         unit.name;
}

}  // namespace

std::vector<ByteTick> byte_ticks(std::int64_t top, int count) {
  const Unit unit = unit_of(top);
  const std::int64_t distance = rounded(static_cast<double>(top) / std::max(1, count), unit.bytes);
  std::vector<ByteTick> ticks;
  for (std::int64_t tick = 0; tick <= top; tick += distance) {
    ticks.push_back({tick, text_of(tick, unit)});
  }
  return ticks;
}

}  // namespace stashscope::ui
