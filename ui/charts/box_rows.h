#pragma once

#include <QRectF>
#include <span>
#include <vector>

namespace stashscope::ui {

/// Rows of boxes of one height, filled from left to right.
struct BoxRows {
  double left = 0;
  double right = 0;
  double row_height = 0;
  double distance = 0;  ///< between two boxes of a row

  /// The boxes, the first row at y = 0. A box that is wider than a row gets a row of its own and is
  /// cut.
  std::vector<QRectF> place(std::span<const double> widths) const;
};

}  // namespace stashscope::ui
