#pragma once

#include <QImage>
#include <algorithm>
#include <vector>

namespace stashscope::ui {

/// An image that is filled column by column, each column from the bottom up. For thousands of items
/// narrower than a pixel, this is much faster than painting shapes.
class ColumnImage {
 public:
  ColumnImage(int columns, int rows, QRgb background);

  int columns() const { return columns_; }
  int rows() const { return rows_; }

  /// Fills the rows from `from` to `to` - 1. Row 0 is at the bottom. Rows and columns outside the
  /// image are ignored.
  void fill(int column, int from, int to, QRgb colour) {
    from = std::max(0, from);
    to = std::min(rows(), to);
    if (column < 0 || column >= columns() || from >= to) return;
    QRgb* const pixels = row_of(column);
    std::fill(pixels + from, pixels + to, colour);
  }
  /// Mixes `colour` into the rows that `fill` would fill.
  /// @param share of `colour` in the mixture, from 0 to 1
  void blend(int column, int from, int to, QRgb colour, double share);

  QImage upright() const;

 private:
  QRgb* row_of(int column) { return pixels_.data() + std::ptrdiff_t{column} * rows_; }

  int columns_;
  int rows_;
  std::vector<QRgb> pixels_;  ///< column by column, so that `fill` writes consecutive memory
};

/// Mixes two opaque colours: `share` of `colour`, the rest of `background`.
QRgb mixed(QRgb background, QRgb colour, double share);

}  // namespace stashscope::ui
