#pragma once

#include <QPainter>
#include <QWidget>

#include "ui/theme/theme.h"

namespace stashscope::ui {

/// Paints a frame along the edge of a view while the view has the focus. For views that paint
/// themselves.
inline void paint_focus_frame(QPainter& painter, const QWidget& view) {
  if (!view.hasFocus()) return;
  painter.setPen(theme_of(view.palette()).accent);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(view.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5));
}

}  // namespace stashscope::ui
