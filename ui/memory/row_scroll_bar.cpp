#include "ui/memory/row_scroll_bar.h"

#include <QCoreApplication>
#include <QWheelEvent>
#include <algorithm>

namespace stashscope::ui {

RowScrollBar::RowScrollBar(QWidget& view) : QScrollBar(Qt::Vertical, &view), view_(view) { hide(); }

void RowScrollBar::fit(int rows_height, int row_height) {
  const int hidden = std::max(0, rows_height - view_.height());
  setVisible(hidden > 0);
  setRange(0, hidden);
  setPageStep(view_.height());
  setSingleStep(row_height);
  const int wide = sizeHint().width();
  setGeometry(view_.width() - wide, 0, wide, view_.height());
}

int RowScrollBar::room() const { return isHidden() ? view_.width() : x(); }

void RowScrollBar::scroll_to_row(int row) {
  const int top = row * singleStep();
  setValue(std::max(top + singleStep() - view_.height(), std::min(value(), top)));
}

void RowScrollBar::take_wheel(QWheelEvent& event) {
  if (isHidden()) return event.ignore();
  QCoreApplication::sendEvent(this, &event);
}

}  // namespace stashscope::ui
