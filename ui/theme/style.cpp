#include "ui/theme/style.h"

#include <QPainter>
#include <QStyleOption>

#include "ui/theme/theme.h"

namespace stashscope::ui {

namespace {

void paint_tick(QPainter& painter, const QRectF& box, const QColor& colour) {
  painter.setPen(QPen(colour, box.width() / 7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const auto at = [&](double x, double y) {
    return QPointF(box.x() + x * box.width(), box.y() + y * box.height());
  };
  painter.drawPolyline(QPolygonF({at(0.25, 0.52), at(0.43, 0.7), at(0.76, 0.32)}));
}

void paint_check_box(QPainter& painter, const QStyleOption& option) {
  const Theme theme = theme_of(option.palette);
  const bool ticked = option.state.testFlag(QStyle::State_On);
  const QRectF box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(ticked ? theme.accent : theme.muted);
  painter.setBrush(ticked ? theme.accent : theme.surface);
  painter.drawRoundedRect(box, 2.5, 2.5);
  if (ticked) paint_tick(painter, box, theme.surface);
  painter.restore();
}

}  // namespace

Style::Style() : QProxyStyle(QStringLiteral("Fusion")) {}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
  if (element == PE_IndicatorItemViewItemCheck) return paint_check_box(*painter, *option);
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

}  // namespace stashscope::ui
