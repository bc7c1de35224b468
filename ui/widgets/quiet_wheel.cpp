#include "ui/widgets/quiet_wheel.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>
#include <QSlider>

namespace stashscope::ui {

namespace {

/// The object as a widget if the wheel would change its value; otherwise null. Scroll bars give
/// null, because they must keep the wheel.
QWidget* field_of(QObject* object) {
  const bool is_field = qobject_cast<QAbstractSpinBox*>(object) != nullptr ||
                        qobject_cast<QComboBox*>(object) != nullptr ||
                        qobject_cast<QSlider*>(object) != nullptr;
  return is_field ? static_cast<QWidget*>(object) : nullptr;
}

}  // namespace

bool QuietWheel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::Wheel && event->type() != QEvent::Show) return false;
  QWidget* const field = field_of(watched);
  if (field == nullptr) return false;
  if (event->type() == QEvent::Show) {
    // With Qt::WheelFocus, turning the wheel would give the field the focus.
    if (field->focusPolicy() == Qt::WheelFocus) field->setFocusPolicy(Qt::StrongFocus);
    return false;
  }
  if (field->hasFocus()) return false;
  event->ignore();
  return true;
}

}  // namespace stashscope::ui
