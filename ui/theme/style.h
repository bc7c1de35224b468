#pragma once

#include <QProxyStyle>

namespace stashscope::ui {

/// Role of items of which at most one sibling is on: their tick is drawn as a radio button.
constexpr int exclusive_role = Qt::UserRole + 1;

/// Fusion with check boxes and edges of fields that can be seen on dark ground too; what is ticked
/// is in the accent's colour, and what is disabled has no shadow: it may be a reason to be read.
class Style : public QProxyStyle {
  Q_OBJECT

 public:
  Style();

  void drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                     const QWidget* widget) const override;
  void drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                          QPainter* painter, const QWidget* widget) const override;
  int styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                QStyleHintReturn* answer) const override;
};

}  // namespace stashscope::ui
