#include "ui/charts/axis_ticks.h"

#include <cmath>

#include "core/base/text.h"
#include "core/base/units.h"
#include "ui/charts/enough_ticks.h"

namespace stashscope::ui {

namespace {

constexpr double milliseconds_per_second = 1e3;

/// The smallest number that is 1, 2 or 5 times a power of ten and at least 0.7 times `wanted`.
double rounded(double wanted) {
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= 0.7 * wanted) return factor * power;
  }
  return 10 * power;
}

int decimals_of(double distance) {
  return std::max(0, static_cast<int>(std::ceil(-std::log10(distance) - 1e-9)));
}

std::vector<AxisTick> step_ticks_for(double first, double last, int count) {
  std::vector<AxisTick> ticks;
  const double distance = std::max(1.0, rounded((last - first) / count));
  for (double number = std::max(1.0, std::ceil((first + 0.5) / distance)) * distance;
       number - 0.5 <= last; number += distance) {
    ticks.push_back({number - 0.5, QString::number(std::llround(number))});
  }
  return ticks;
}

std::vector<AxisTick> time_ticks_for(double first, double last, int count) {
  std::vector<AxisTick> ticks;
  const ColumnUnit unit = time_unit((last - first) / milliseconds_per_second);
  const double size = unit.size * milliseconds_per_second;
  const double distance = rounded((last - first) / count / size);
  const int decimals = decimals_of(distance);
  const auto end = std::llround(std::floor(last / size / distance + 1e-9));
  for (auto i = std::llround(std::ceil(first / size / distance - 1e-9)); i <= end; ++i) {
    const double number = static_cast<double>(i) * distance;
    ticks.push_back({number * size, QString::fromStdString(format_fixed(number, decimals) + ' ' +
                                                           std::string(unit.name))});
  }
  return ticks;
}

}  // namespace

std::vector<AxisTick> step_ticks(double first, double last, int count) {
  if (last <= first || count < 1) return {};
  return enough_ticks(count, [&](int wanted) { return step_ticks_for(first, last, wanted); });
}

std::vector<AxisTick> time_ticks(double first, double last, int count) {
  if (last <= first || count < 1) return {};
  return enough_ticks(count, [&](int wanted) { return time_ticks_for(first, last, wanted); });
}

}  // namespace stashscope::ui
