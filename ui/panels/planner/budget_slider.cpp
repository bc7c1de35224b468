#include "ui/panels/planner/budget_slider.h"

#include <algorithm>
#include <cmath>

namespace stashscope::ui {

int slider_place(std::int64_t budget_bytes, std::int64_t peak_bytes) {
  if (peak_bytes <= 0) return slider_end;
  const double share = static_cast<double>(budget_bytes) / static_cast<double>(peak_bytes);
  return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * slider_end));
}

BudgetInput budget_at(int slider_place) {
  return {0, 100.0 * slider_place / slider_end, std::nullopt};
}

}  // namespace stashscope::ui
