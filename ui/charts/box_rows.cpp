#include "ui/charts/box_rows.h"

#include <algorithm>

namespace stashscope::ui {

std::vector<QRectF> BoxRows::place(std::span<const double> widths) const {
  std::vector<QRectF> places;
  double x = left;
  double y = 0;
  for (const double width : widths) {
    if (x > left && x + width > right) {
      x = left;
      y += row_height;
    }
    places.emplace_back(x, y, std::clamp(right - x, 0.0, width), row_height);
    x += width + distance;
  }
  return places;
}

}  // namespace stashscope::ui
