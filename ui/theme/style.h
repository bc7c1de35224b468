#pragma once

#include <QProxyStyle>

class QStyleOptionComboBox;

namespace stashscope::ui {

/// Item role: true if at most one of several sibling items can be on. The ticks of such items are
/// drawn as radio buttons.
constexpr int exclusive_role = Qt::UserRole + 1;

/// Fusion style with check boxes and field edges that are visible on a dark background too. Ticked
/// boxes and the frame of the focused widget have the accent colour. Menus have a visible frame.
/// Disabled text has no shadow, because it may state a reason that the user has to read. A text too
/// long for its combo box ends with an ellipsis.
class Style : public QProxyStyle {
  Q_OBJECT

 public:
  Style();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                   const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;
  int pixelMetric(PixelMetric metric, const QStyleOption* option,
                  const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* answer) const override;

 private:
  void draw_combo_text(const QStyleOptionComboBox& box, QPainter* painter,
                       const QWidget* widget) const;
};

}  // namespace stashscope::ui
