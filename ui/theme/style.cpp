#include "ui/theme/style.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStyleOption>
#include <algorithm>

#include "ui/theme/theme.h"

namespace stashscope::ui {

namespace {

constexpr double disabled_icon_opacity = 0.5;
/// Opacity of field edges on a dark ground, where the edges of Fusion are too dark to be seen.
constexpr float edge_opacity = 0.5F;

void paint_tick(QPainter& painter, const QRectF& box, const QColor& colour) {
  painter.setPen(QPen(colour, box.width() / 7, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
  const auto at = [&](double x, double y) {
    return QPointF(box.x() + x * box.width(), box.y() + y * box.height());
  };
  painter.drawPolyline(QPolygonF({at(0.25, 0.52), at(0.43, 0.7), at(0.76, 0.32)}));
}

void paint_bar(QPainter& painter, const QRectF& box, const QColor& colour) {
  painter.setPen(QPen(colour, box.width() / 7, Qt::SolidLine, Qt::RoundCap));
  const double y = box.center().y();
  painter.drawLine(QPointF(box.x() + 0.28 * box.width(), y),
                   QPointF(box.x() + 0.72 * box.width(), y));
}

void paint_dot(QPainter& painter, const QRectF& box, const QColor& colour) {
  painter.setPen(Qt::NoPen);
  painter.setBrush(colour);
  painter.drawEllipse(box.center(), box.width() / 5, box.width() / 5);
}

bool is_exclusive(const QStyleOption& option) {
  const auto* const item = qstyleoption_cast<const QStyleOptionViewItem*>(&option);
  return item != nullptr && item->index.data(exclusive_role).toBool();
}

/// Paints a box with a tick if the item is on, or with a bar if it is partly on. If siblings
/// exclude each other, paints a round box with a dot.
void paint_check_box(QPainter& painter, const QStyleOption& option) {
  const Theme theme = theme_of(option.palette);
  const bool ticked = option.state.testFlag(QStyle::State_On);
  const bool partly = option.state.testFlag(QStyle::State_NoChange);
  const bool filled = ticked || partly;
  const QRectF box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5);
  const bool has_focus = option.state.testFlag(QStyle::State_HasFocus);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  if (!option.state.testFlag(QStyle::State_Enabled)) painter.setOpacity(disabled_icon_opacity);
  painter.setPen(filled || has_focus ? theme.accent : theme.muted);
  painter.setBrush(filled ? theme.accent : theme.surface);
  const bool round = is_exclusive(option);
  const double radius = round ? box.width() / 2 : 2.5;
  painter.drawRoundedRect(box, radius, radius);
  if (partly) {
    paint_bar(painter, box, theme.surface);
  } else if (ticked && round) {
    paint_dot(painter, box, theme.surface);
  } else if (ticked) {
    paint_tick(painter, box, theme.surface);
  }
  painter.restore();
}

void paint_edge(QPainter& painter, const QStyleOption& option) {
  const Theme theme = theme_of(option.palette);
  if (!theme.dark || option.state.testFlag(QStyle::State_HasFocus)) return;
  QColor edge = theme.muted;
  edge.setAlphaF(edge_opacity);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(edge);
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
  painter.restore();
}

/// On a dark ground, the frames of Fusion are too dark to be seen.
void paint_menu_frame(QPainter& painter, const QStyleOption& option) {
  const Theme theme = theme_of(option.palette);
  if (!theme.dark) return;
  painter.save();
  painter.setPen(theme.line);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
  painter.restore();
}

/// A frame in the accent colour. The frame of Fusion is almost transparent.
void paint_focus(QPainter& painter, const QStyleOption& option, double width) {
  if (!option.state.testFlag(QStyle::State_KeyboardFocusChange)) return;
  const double inset = width / 2;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(theme_of(option.palette).accent, width));
  painter.setBrush(Qt::NoBrush);
  painter.drawRoundedRect(QRectF(option.rect).adjusted(inset, inset, -inset, -inset), 2, 2);
  painter.restore();
}

/// Cells show the focus by their ground.
bool is_cell(const QWidget* widget) {
  return qobject_cast<const QAbstractItemView*>(widget) != nullptr;
}

}  // namespace

Style::Style() : QProxyStyle(QStringLiteral("Fusion")) {}

void Style::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                          const QWidget* widget) const {
  if (element == PE_IndicatorItemViewItemCheck || element == PE_IndicatorCheckBox) {
    return paint_check_box(*painter, *option);
  }
  if (element == PE_FrameFocusRect && !is_cell(widget)) return paint_focus(*painter, *option, 1);
  QProxyStyle::drawPrimitive(element, option, painter, widget);
  if (element == PE_FrameMenu) paint_menu_frame(*painter, *option);
  if (element == PE_FrameLineEdit) paint_edge(*painter, *option);
}

/// Qt draws the focus of a tab with the frame of Fusion, not with that of `drawPrimitive`. Tabs
/// have edges of their own, beside which a thin frame is hardly seen.
void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
  const auto* const tab = qstyleoption_cast<const QStyleOptionTab*>(option);
  const bool has_focus = tab != nullptr && tab->state.testFlag(State_HasFocus);
  if (element != CE_TabBarTabLabel || !has_focus) {
    return QProxyStyle::drawControl(element, option, painter, widget);
  }
  QStyleOptionTab bare = *tab;
  bare.state.setFlag(State_HasFocus, false);
  QProxyStyle::drawControl(element, &bare, painter, widget);
  bare.rect.adjust(3, 3, -3, -3);
  paint_focus(*painter, bare, 2);
}

void Style::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                               QPainter* painter, const QWidget* widget) const {
  QProxyStyle::drawComplexControl(control, option, painter, widget);
  if (control == CC_SpinBox) paint_edge(*painter, *option);
}

int Style::pixelMetric(PixelMetric metric, const QStyleOption* option,
                       const QWidget* widget) const {
  const int pixels = QProxyStyle::pixelMetric(metric, option, widget);
  return metric == PM_MenuPanelWidth ? std::max(pixels, 1) : pixels;
}

int Style::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                     QStyleHintReturn* answer) const {
  if (hint == SH_EtchDisabledText) return 0;
  return QProxyStyle::styleHint(hint, option, widget, answer);
}

}  // namespace stashscope::ui
