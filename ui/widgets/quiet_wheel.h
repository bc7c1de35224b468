#pragma once

#include <QObject>

namespace stashscope::ui {

/// Keeps the mouse wheel from changing number fields, lists and sliders that do not have the
/// keyboard focus: the panel around them scrolls instead. This is an event filter for the
/// application.
class QuietWheel : public QObject {
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace stashscope::ui
