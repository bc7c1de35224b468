#pragma once

#include <QObject>

namespace stashscope::ui {

/// While a menu or a list of choices is open, keys without Ctrl, Alt and Meta go to it only,
/// although the focus stays in the view below, whose own keys would act. An event filter for the
/// application.
class PopupKeys : public QObject {
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace stashscope::ui
