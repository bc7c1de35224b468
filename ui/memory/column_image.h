#pragma once

#include <QImage>

namespace stashscope::ui {

/// A picture that is filled column by column, each from the ground up. Where thousands of things
/// are narrower than a pixel this takes a fraction of the time that shapes would.
class ColumnImage {
 public:
  ColumnImage(int columns, int rows, QRgb ground);

  int columns() const { return turned_.height(); }
  int rows() const { return turned_.width(); }

  /// Rows count from the ground; what lies outside is left out.
  void fill(int column, int from, int to, QRgb colour);
  /// @param share of `colour` in the mixture, from 0 to 1
  void blend(int column, int from, int to, QRgb colour, double share);

  QImage upright() const;

 private:
  QRgb* row_of(int column) { return reinterpret_cast<QRgb*>(turned_.scanLine(column)); }

  QImage turned_;  ///< a column is a line, its ground at the left: filling walks along memory
};

/// `share` of one opaque colour in another.
QRgb mixed(QRgb ground, QRgb colour, double share);

}  // namespace stashscope::ui
