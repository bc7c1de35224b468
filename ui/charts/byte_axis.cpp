#include "ui/charts/byte_axis.h"

#include <algorithm>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/charts/enough_ticks.h"

namespace stashscope::ui {

namespace {

/// The smallest grid distance that is at least 0.7 times `wanted`: 1/8, 1/4 or 1/2 of `unit`, or a
/// round multiple of `unit` up to 500. If all these distances are smaller, the result is 500 times
/// `unit`.
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

std::string text_of(std::int64_t bytes, const ColumnUnit& unit) {
  if (bytes == 0) return "0";
  return format_number(static_cast<double>(bytes) / unit.size) + " " + std::string(unit.name);
}

std::vector<ByteTick> ticks_for(std::int64_t top, int count) {
  const ColumnUnit unit = byte_unit(top);
  const std::int64_t distance =
      rounded(static_cast<double>(top) / count, static_cast<std::int64_t>(unit.size));
  std::vector<ByteTick> ticks;
  for (std::int64_t tick = 0; tick <= top; tick += distance) {
    ticks.push_back({tick, text_of(tick, unit)});
  }
  return ticks;
}

}  // namespace

std::vector<ByteTick> byte_ticks(std::int64_t top, int count) {
  if (top <= 0) return {{0, "0"}};
  return enough_ticks(std::max(1, count), [&](int wanted) { return ticks_for(top, wanted); });
}

}  // namespace stashscope::ui
