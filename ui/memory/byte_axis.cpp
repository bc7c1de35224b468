#include "ui/memory/byte_axis.h"

#include <algorithm>

namespace stashscope::ui {

namespace {

/// The first of 1, 2, 5, 10, 20, ... times a binary unit that is not much less than `bytes`.
std::int64_t rounded(std::int64_t bytes) {
  for (std::int64_t unit = 1; unit <= (std::int64_t{1} << 50); unit *= 1024) {
    for (const std::int64_t number : {1, 2, 5, 10, 20, 50, 100, 200, 500}) {
      if (number * unit >= bytes / 10 * 7) return number * unit;
    }
  }
  return bytes;
}

}  // namespace

std::vector<std::int64_t> byte_ticks(std::int64_t top, int count) {
  const std::int64_t distance = rounded(std::max<std::int64_t>(1, top / std::max(1, count)));
  std::vector<std::int64_t> ticks;
  for (std::int64_t tick = 0; tick <= top; tick += distance) ticks.push_back(tick);
  return ticks;
}

}  // namespace stashscope::ui
