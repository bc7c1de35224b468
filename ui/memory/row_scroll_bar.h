#pragma once

#include <QScrollBar>

namespace stashscope::ui {

/// The vertical scroll bar at the right edge of a view that draws rows of equal height. Its value
/// is in pixels. It is shown only while not all rows have room.
class RowScrollBar : public QScrollBar {
  Q_OBJECT

 public:
  explicit RowScrollBar(QWidget& view);

  /// Takes new heights of the rows or of the view, in pixels.
  void fit(int rows_height, int row_height);
  /// Width of the view without the bar, in pixels.
  int room() const;
  void scroll_to_row(int row);
  /// Scrolls by a wheel event of the view, which is ignored while all rows have room.
  void take_wheel(QWheelEvent& event);

 private:
  QWidget& view_;
};

}  // namespace stashscope::ui
