#include "ui/theme/style.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QStyleOption>
#include <QTabBar>
#include <algorithm>

#include "ui/theme/theme.h"

namespace stashscope::ui {

namespace {

constexpr double disabled_icon_opacity = 0.5;
/// Opacity of field edges on a dark background, where the edges of Fusion are too dark to be seen.
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
  painter.drawEllipse(box.center(), box.width() / 4, box.width() / 4);
}

bool is_item(const QStyleOption& option) {
  return qstyleoption_cast<const QStyleOptionViewItem*>(&option) != nullptr;
}

bool is_exclusive(const QStyleOption& option) {
  const auto* const item = qstyleoption_cast<const QStyleOptionViewItem*>(&option);
  return item != nullptr && item->index.data(exclusive_role).toBool();
}

/// The colours of a check box.
struct BoxColours {
  QColor edge;
  QColor ground;
  QColor mark;
};

/// On a selected row, the box takes the colours of the row's text: a box that is on is filled with
/// the colour of the text and has a mark in the colour of the row, a box that is off is an outline.
BoxColours colours_of_box(const QStyleOption& option, bool filled) {
  const Theme theme = theme_of(option.palette);
  if (is_item(option) && option.state.testFlag(QStyle::State_Selected)) {
    const QColor text = option.palette.color(QPalette::HighlightedText);
    const QColor row = option.palette.color(QPalette::Highlight);
    return {text, filled ? text : row, row};
  }
  const bool has_focus = option.state.testFlag(QStyle::State_HasFocus);
  return {filled || has_focus ? theme.accent : theme.muted, filled ? theme.accent : theme.surface,
          theme.surface};
}

/// Paints a box with a tick if the item is on, or with a bar if it is partly on. If siblings
/// exclude each other, paints a round box with a dot.
void paint_check_box(QPainter& painter, const QStyleOption& option) {
  const bool ticked = option.state.testFlag(QStyle::State_On);
  const bool partly = option.state.testFlag(QStyle::State_NoChange);
  const QRectF box = QRectF(option.rect).adjusted(1.5, 1.5, -1.5, -1.5);
  const BoxColours colours = colours_of_box(option, ticked || partly);
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  if (!option.state.testFlag(QStyle::State_Enabled)) painter.setOpacity(disabled_icon_opacity);
  painter.setPen(colours.edge);
  painter.setBrush(colours.ground);
  const bool round = is_exclusive(option);
  const double radius = round ? box.width() / 2 : 2.5;
  painter.drawRoundedRect(box, radius, radius);
  if (partly) {
    paint_bar(painter, box, colours.mark);
  } else if (ticked && round) {
    paint_dot(painter, box, colours.mark);
  } else if (ticked) {
    paint_tick(painter, box, colours.mark);
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

/// Paints the frame of a menu on a dark background, where the frames of Fusion are too dark to be
/// seen.
void paint_menu_frame(QPainter& painter, const QStyleOption& option) {
  const Theme theme = theme_of(option.palette);
  if (!theme.dark) return;
  painter.save();
  painter.setPen(theme.line);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(option.rect.adjusted(0, 0, -1, -1));
  painter.restore();
}

/// Paints the frame of a focused widget in the accent colour, because the frame of Fusion is almost
/// transparent.
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

/// Marks the edge of the chosen tab in a high-contrast theme, where the backgrounds of tabs are too
/// alike.
void paint_chosen(QPainter& painter, const QStyleOptionTab& tab) {
  const Theme theme = theme_of(tab.palette);
  if (!theme.high_contrast || !tab.state.testFlag(QStyle::State_Selected)) return;
  constexpr int thickness = 3;
  const bool is_below = tab.shape == QTabBar::RoundedSouth || tab.shape == QTabBar::TriangularSouth;
  QRect edge = tab.rect;
  if (is_below) edge.setTop(edge.bottom() + 1 - thickness);
  edge.setHeight(thickness);
  painter.fillRect(edge, theme.text);
}

/// Whether the widget is a view with cells. Cells show the focus by their background.
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

/// Draws the focus of a tab as a thick frame. Otherwise Qt would draw Fusion's frame, not the frame
/// that `drawPrimitive` of this style draws. A thin frame is hardly seen beside the edges of the
/// tab.
void Style::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                        const QWidget* widget) const {
  if (const auto* const box = qstyleoption_cast<const QStyleOptionComboBox*>(option);
      element == CE_ComboBoxLabel && box != nullptr) {
    return draw_combo_text(*box, painter, widget);
  }
  const auto* const tab = qstyleoption_cast<const QStyleOptionTab*>(option);
  if (element == CE_TabBarTabLabel && tab != nullptr) paint_chosen(*painter, *tab);
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

/// Fusion cuts a long text in the middle of a letter.
void Style::draw_combo_text(const QStyleOptionComboBox& box, QPainter* painter,
                            const QWidget* widget) const {
  constexpr int margins = 4;
  const int room = proxy()->subControlRect(CC_ComboBox, &box, SC_ComboBoxEditField, widget).width();
  QStyleOptionComboBox shortened = box;
  shortened.currentText =
      box.fontMetrics.elidedText(box.currentText, Qt::ElideRight, room - margins);
  QProxyStyle::drawControl(CE_ComboBoxLabel, &shortened, painter, widget);
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
