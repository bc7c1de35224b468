#pragma once

#include <QObject>

namespace stashscope::ui {

/// An event filter for the application. While a menu or a list of choices is open, only the menu or
/// list gets the keys without Ctrl, Alt and Meta. Without the filter, these keys would act in the
/// view below, which keeps the focus.
class PopupKeys : public QObject {
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace stashscope::ui
